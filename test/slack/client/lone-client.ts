// A process that only runs the client. It prints the texts of received messages, and closes the port when its stdin
// ends. Its arguments are the URL of Slack's API, the bot token and the app token.

import { silentLogger, systemClock } from "@parley/base";
import { createSlackPort } from "@parley/slack";

const [, , apiUrl, botToken = "", appToken = ""] = process.argv;
const port = createSlackPort({
	...{ botToken, apiUrl, clock: systemClock, chance: () => 0.5, log: silentLogger },
	transport: { type: "sockets", appToken },
});
await port.connect({
	receive: async ({ body }) => void process.stdout.write(`${Object(body).event?.text}\n`),
	link: () => undefined,
});
process.stdin.resume().once("end", async () => {
	await port.close();
	process.stdout.write("closed\n");
});
