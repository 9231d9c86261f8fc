export { type Config, loadConfig } from "../config/load.ts";
export { type ServeOptions, serveZot } from "../wires/zot/server.ts";
export { openAgent } from "./open-agent.ts";
export { type RpcFlags, readReasoning } from "./rpc-flags.ts";
