import { Client, Events, GatewayIntentBits } from "discord.js";
import { answerParent } from "../measure/answer-parent.ts";

/** The floor: discord.js alone answers every message with 200 characters, and keeps nothing. */
const [, , url = ""] = process.argv;
const { Guilds, GuildMessages, MessageContent } = GatewayIntentBits;
const client = new Client({
	intents: [Guilds, GuildMessages, MessageContent],
	// Fifty a second is Discord's limit: what is measured is the work.
	rest: { api: `${url}/api`, retries: 0, globalRequestsPerSecond: Number.POSITIVE_INFINITY },
	allowedMentions: { parse: [], repliedUser: false },
});
const text = "It is done. ".repeat(17).trim();
client.on(Events.MessageCreate, (message) => {
	if (!message.author.bot) void message.reply({ content: text });
});
await client.login("bench.token.of-nobody");
if (!client.isReady()) await new Promise((resolve) => client.once(Events.ClientReady, resolve));
answerParent(0, () => client.destroy());
