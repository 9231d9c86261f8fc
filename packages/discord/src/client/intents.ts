import { GatewayIntentBits } from "discord.js";

/**
 * What Discord is asked to send. Message content is privileged, and needed: without it a message in a thread of the
 * bot, in a channel that it always listens to, or a reply to it, comes without its text unless it mentions the bot.
 * Members, which are privileged, too, are not asked for: who wrote or pressed stands in each event, and what is trusted is
 * a channel with its roles, whoever has them.
 * https://docs.discord.com/developers/events/gateway#gateway-intents
 */
export const intents: readonly GatewayIntentBits[] = [
	GatewayIntentBits.Guilds,
	GatewayIntentBits.GuildMessages,
	GatewayIntentBits.GuildMessageReactions,
	GatewayIntentBits.DirectMessages,
	GatewayIntentBits.DirectMessageReactions,
	GatewayIntentBits.MessageContent,
];
