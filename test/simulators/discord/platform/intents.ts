import { GatewayIntentBits } from "discord-api-types/v10";

/**
 * Privileged intents, which must be enabled for the app:
 * https://discord.com/developers/docs/events/gateway#privileged-intents
 */
export const privilegedIntents =
	GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildPresences | GatewayIntentBits.MessageContent;

export function hasMessageContent(intents: number): boolean {
	return (intents & GatewayIntentBits.MessageContent) !== 0;
}
