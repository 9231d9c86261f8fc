import { GatewayCloseCodes } from "discord-api-types/v10";

/** Page with the settings of the application. */
export const developerPortal = "https://discord.com/developers/applications";

/**
 * Advice for a connection that Discord has closed and would close again; undefined if a retry may succeed.
 * https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
export function closeRefusal(code: number): string | undefined {
	return refusals[code];
}

const refusals: Readonly<Record<number, string>> = {
	[GatewayCloseCodes.AuthenticationFailed]: `Discord does not know this token: reset it under "Bot" on ${developerPortal}, and set DISCORD_TOKEN to the new one`,
	[GatewayCloseCodes.InvalidShard]:
		"Discord refused the shard that was asked for: this is a fault of Parley, report it",
	[GatewayCloseCodes.ShardingRequired]:
		"the bot is in too many servers for one connection (2,500): remove it from some of them",
	[GatewayCloseCodes.InvalidAPIVersion]: "Discord speaks version 10 of its API no more: update Parley",
	[GatewayCloseCodes.InvalidIntents]:
		"Discord refused the intents that were asked for: this is a fault of Parley, report it",
	[GatewayCloseCodes.DisallowedIntents]: `the bot may not read messages: switch "Message Content Intent" on under "Bot", "Privileged Gateway Intents" on ${developerPortal}, save, and start again`,
};
