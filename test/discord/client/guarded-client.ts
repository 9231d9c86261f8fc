// A process that only runs the client. It prints the names of received events and the states of its connection to
// stdout, and its log to stderr. Its argument is the URL of Discord's API.

import { createLogger, Redactor, systemClock } from "@parley/base";
import { createDiscordPort, guardProcess } from "@parley/discord";
import { StoredSession } from "./stored-session.ts";

const [, , apiUrl] = process.argv;
const log = createLogger({ level: "info", redactor: new Redactor() });
guardProcess(log);
const sessions = new StoredSession();
const port = createDiscordPort({ token: "token", apiUrl, clock: systemClock, log, sessions });
await port.connect({
	dispatch: ({ t }) => void process.stdout.write(`${t}\n`),
	link: ({ state }) => void process.stdout.write(`${state}\n`),
});
