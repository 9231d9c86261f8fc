// Simulates journalctl(1) with `--output=json` and `--output=cat`, for the units that the simulated systemctl runs.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fail, journalOf, recordCall } from "./state.ts";

recordCall("journalctl");
const { values } = parseArgs({
	options: {
		user: { type: "boolean" },
		unit: { type: "string", short: "u" },
		output: { type: "string", short: "o" },
		all: { type: "boolean" },
		"no-pager": { type: "boolean" },
		quiet: { type: "boolean" },
		lines: { type: "string" },
		since: { type: "string" },
		"after-cursor": { type: "string" },
		follow: { type: "boolean" },
	},
});
const { output, unit = "" } = values;
if (output !== "json" && output !== "cat") fail("only --output=json and --output=cat are simulated");
// systemd.unit(5): without a suffix, a name means a service.
const file = journalOf(unit.includes(".") ? unit : `${unit}.service`);

interface Entry {
	readonly cursor: number;
	readonly text: string;
	readonly time: number;
}

/** Returns the entries after `cursor`, which is a line number. */
function entriesAfter(cursor: number): Entry[] {
	const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
	return lines.slice(cursor).map((text, index) => {
		const time = Date.parse(/"time":"([^"]+)"/.exec(text)?.[1] ?? "") || Date.now();
		return { cursor: cursor + index + 1, text, time };
	});
}

function print({ cursor, text, time }: Entry): void {
	if (output === "cat") {
		process.stdout.write(`${text}\n`);
		return;
	}
	// A message with control characters other than tab is an array of bytes. Without --all, a message of more than
	// 4096 characters is null.
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters make a message binary
	const isBinary = /[\u0000-\u0008\u000b-\u001f]/.test(text);
	const message = isBinary ? [...Buffer.from(text)] : text.length > 4096 && !values.all ? null : text;
	const isOfManager = text.startsWith("systemd: ");
	const identifier = isOfManager ? "systemd" : "parley";
	const entry = {
		SYSLOG_IDENTIFIER: identifier,
		PRIORITY: "6",
		__CURSOR: String(cursor),
		__REALTIME_TIMESTAMP: String(time * 1000),
		MESSAGE: message,
	};
	process.stdout.write(`${JSON.stringify(entry)}\n`);
}

let cursor = Number(values["after-cursor"] ?? 0);
const since = Number(values.since?.replace(/^@/, "") ?? 0) * 1000;
const first = entriesAfter(cursor).filter(({ time }) => time >= since);
const maximum = values.lines === undefined || values.lines === "all" ? first.length : Number(values.lines);
for (const entry of maximum === 0 ? [] : first.slice(-maximum)) print(entry);
cursor += entriesAfter(cursor).length;
while (values.follow) {
	for (const entry of entriesAfter(cursor)) {
		print(entry);
		cursor = entry.cursor;
	}
	await wait(20);
}
