export { type Config, loadConfig } from "../config/load.ts";
export { type ServeOptions, serveZot } from "../zot/server.ts";
export { type OpenAgent, type OpenAgentOptions, openAgent } from "./open-agent.ts";
export { type RpcFlags, readReasoning } from "./rpc-flags.ts";
