// A process of the client alone: writes what is said, and closes the port when its input ends. Its arguments are Slack's
// address and both tokens.

import { silentLogger, systemClock } from "@parley/base";
import { createSlackPort } from "@parley/slack";

const [, , apiUrl, botToken = "", appToken = ""] = process.argv;
const port = createSlackPort({
	...{ botToken, apiUrl, clock: systemClock, chance: () => 0.5, log: silentLogger },
	transport: { type: "sockets", appToken },
});
await port.connect({
	take: async ({ body }) => void process.stdout.write(`${Object(body).event?.text}\n`),
	link: () => undefined,
});
process.stdin.resume().once("end", async () => {
	await port.close();
	process.stdout.write("closed\n");
});
