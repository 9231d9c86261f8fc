export { type Config, loadConfig } from "../config/load.ts";
export { secretKeys } from "../config/provider.ts";
export type { CommandType as ZotCommandType, NoticeType as ZotNoticeType } from "../wires/zot/schema.ts";
export { type ServeOptions, serveZot } from "../wires/zot/server.ts";
export { openAgent } from "./open-agent.ts";
export { type RpcFlags, readReasoning } from "./rpc-flags.ts";
