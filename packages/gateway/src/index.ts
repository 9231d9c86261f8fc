export { loadOrCreateOperatorToken, readOperatorToken } from "./auth/operator-token.ts";
export { type CommandChange, noteChange } from "./config/command-changes.ts";
export { keyVariables } from "./config/known-providers.ts";
export { type Config, loadConfig } from "./config/load.ts";
export {
	agentMcpFileIn,
	checkMcpFile,
	type McpFileContent,
	McpFiles,
	mcpFileIn,
	readMcpFile,
	writeMcpFile,
} from "./config/mcp-file.ts";
export { McpLoginFile, mcpLoginsIn, readLoginStates } from "./config/mcp-logins.ts";
export type { ProviderReason } from "./config/provider.ts";
export type { Reach } from "./config/reach-facts.ts";
export type { ConfigFlags } from "./config/sources.ts";
export { prepareDataDirectory } from "./data-directory/data-directory.ts";
export { type DataLock, isBusy, lockDataDirectory } from "./data-directory/data-lock.ts";
export { type RuntimeFile, readRuntimeFile } from "./data-directory/runtime-file.ts";
export { checkStoredSecrets, type StoredSecrets } from "./data-directory/stored-secrets.ts";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway.ts";
export { type ProviderReport, reportProviders } from "./models/report-providers.ts";
export { type ModelTest, testModel } from "./models/test-model.ts";
export { type ProviderAnswer, tryProvider } from "./models/try-provider.ts";
export { openSandboxes } from "./sandbox/open-sandboxes.ts";
