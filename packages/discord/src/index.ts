export { createDiscordPort, type DiscordPortOptions } from "./client/discord-client.ts";
export { guardProcess } from "./client/guard-process.ts";
export type { GatewaySession, SessionStore } from "./client/session-keeper.ts";
export type {
	DiscordDispatch,
	DiscordLink,
	DiscordPort,
	DiscordRequest,
	DiscordResponse,
} from "./discord-port.ts";
export { type RunDiscordOptions, runDiscord } from "./run-discord.ts";
export { examineDiscord, runCheck } from "./setup/doctor.ts";
export type { Finding } from "./setup/finding.ts";
export { openChecks } from "./setup/open-checks.ts";
export { type SetupParts, type SetupStep, setupSteps } from "./setup/setup-steps.ts";
