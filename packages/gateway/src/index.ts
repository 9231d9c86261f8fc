export { loadOrCreateOperatorToken, readOperatorToken } from "./auth/operator-token.ts";
export { type Config, loadConfig } from "./config/load.ts";
export type { ProviderReason } from "./config/provider.ts";
export type { Reach } from "./config/reach-facts.ts";
export type { ConfigFlags } from "./config/sources.ts";
export { prepareDataDirectory } from "./data-directory.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { type RuntimeFile, readRuntimeFile } from "./runtime-file.ts";
