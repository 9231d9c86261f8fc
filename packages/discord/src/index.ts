export { createDiscordPort, type DiscordPortOptions } from "./client/discord-client.ts";
export { guardProcess } from "./client/guard-process.ts";
export type { GatewaySession, SessionStore } from "./client/resumable-session.ts";
export { type RunDiscordOptions, runDiscord } from "./run-discord.ts";
export { examineDiscord, openChecks, runCheck } from "./setup/doctor.ts";
export { type SetupParts, setupSteps } from "./setup/setup-steps.ts";
export type {
	DiscordDispatch,
	DiscordLink,
	DiscordPort,
	DiscordRequest,
	DiscordResponse,
} from "./vocabulary/discord-port.ts";
