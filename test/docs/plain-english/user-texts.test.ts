import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isExcepted } from "./exceptions.ts";
import { root } from "./readings.ts";
import { userTexts } from "./user-texts.ts";

const discord = "packages/discord/src";
const slack = "packages/slack/src";
const cli = "packages/cli/src";
const gateway = "packages/gateway/src";

/**
 * Texts that may break the rules: parts of log lines, errors for a log, names, code, and texts that a protocol
 * defines.
 */
const exceptions = [
	{
		path: "packages/cli/src/chat/images",
		text: "the clipboard as",
		reason: "expression of AppleScript",
	},
	{
		path: "packages/connector/src/gateway",
		text: "the gateway",
		reason: "message of an error; a request of the connector failed",
	},
	{
		path: "packages/connector/src/gateway",
		text: "the gateway at {…} sent more than",
		reason: "message of an error; a request of the connector failed",
	},
	{ path: "packages/connector/src/platform", text: "the file", reason: "message of an error for the log" },
	{ path: "packages/connector/src/platform", text: "the card", reason: "message of an error for the log" },
	{
		path: "packages/connector/src/platform",
		text: "does not match the schema",
		reason: "part of a log line",
	},
	{
		path: "packages/connector/src/conversation/trust/grant-words.ts",
		text: "a newer grant replaces it",
		reason: "compared with a message of the gateway",
	},
	{
		path: "packages/connector/src/rooms",
		text: "was used for another request",
		reason: "compared with a message of the gateway",
	},
	{
		path: "packages/connector/src/conversation/questions/typed-answer.ts",
		text: "approve for this session",
		reason: "compared with a message of a person",
	},
	{
		path: "packages/connector/src/conversation/questions/typed-answer.ts",
		text: "approve for this conversation",
		reason: "compared with a message of a person",
	},
	{
		path: "packages/connector/src/conversation/vocabulary",
		text: "Trust this channel",
		reason: "replaces a part of a label of the gateway",
	},
	{
		path: "packages/connector/src/store/connector-database.ts",
		reason: "parts of an error for the operator",
	},
	{ path: "packages/connector/src/store/migrations.ts", text: "text", reason: "type of a column" },
	{ path: `${discord}/catch-up/high-water.ts`, reason: "name of a value, for the log" },
	{ path: `${discord}/catch-up/missed-messages.ts`, reason: "message of an error for the log" },
	{ path: `${discord}/client/discord-client.ts`, text: "back in a moment", reason: "sent to Discord" },
	{ path: `${discord}/client/rest-answers.ts`, text: "rate limited", reason: "text of Discord" },
	{
		path: `${discord}/commands/command-sync.ts`,
		text: "no reason given",
		reason: "part of an error for the log",
	},
	{ path: `${discord}/commands/to-discord.ts`, reason: "mistakes in the table of commands" },
	{ path: `${discord}/intake/guild-events.ts`, reason: "reasons in the debug log" },
	{ path: `${discord}/intake/translated.ts`, reason: "reasons in the debug log" },
	{ path: `${discord}/intake/room-messages.ts`, reason: "messages of errors for the log" },
	{ path: `${discord}/intake/intake.ts`, reason: "reasons in the debug log" },
	{ path: `${discord}/interactions/interactions.ts`, text: "could not answer", reason: "a log line" },
	{ path: `${discord}/interactions/read-interaction.ts`, reason: "errors of payloads, for the log" },
	{ path: `${discord}/run-discord.ts`, text: "Discord", reason: "name of the platform" },
	{ path: `${discord}/setup/guild-checks.ts`, reason: "permissions as Discord names them" },
	{ path: `${discord}/surface/caller.ts`, reason: "part of an error for the log" },
	{ path: `${discord}/surface/check.ts`, reason: "errors of posts that the kit must not make" },
	{ path: `${slack}/blocks/check-message.ts`, reason: "errors of posts that the kit must not make" },
	{ path: `${slack}/blocks/tables.ts`, reason: "errors of posts that the kit must not make" },
	{ path: `${slack}/catch-up/active-channels.ts`, reason: "name of a value, for the log" },
	{
		path: `${slack}/client/slack-client.ts`,
		text: "events from Slack might be missing",
		reason: "a log line",
	},
	{ path: `${slack}/client/transport/silence-watch.ts`, reason: "reasons in the log" },
	{ path: `${slack}/client/transport/socket-line.ts`, reason: "reasons in the debug log" },
	{ path: `${slack}/client/transport/socket-pair.ts`, reason: "reasons in the debug log" },
	{ path: `${slack}/client/transport/verify.ts`, reason: "reasons in the log" },
	{ path: `${slack}/intake/channels.ts`, reason: "parts of log lines" },
	{ path: `${slack}/intake/files.ts`, reason: "parts of log lines" },
	{ path: `${slack}/intake/intake.ts`, reason: "reasons in the debug log" },
	{ path: `${slack}/intake/people.ts`, reason: "parts of log lines" },
	{ path: `${slack}/intake/room-messages.ts`, reason: "messages of errors for the log" },
	{ path: `${slack}/intake/threads.ts`, reason: "part of a log line" },
	{ path: `${slack}/interactions/wire.ts`, reason: "error of payloads, for the log" },
	{ path: `${slack}/run-slack.ts`, text: "Slack", reason: "name of the platform" },
	{ path: `${slack}/surface/status-line.ts`, text: "could not remove", reason: "a log line" },
	{ path: `${cli}/command-line/completion-scripts.ts`, reason: "programs of shells" },
	{ path: `${cli}/command-line/usage.ts`, reason: "an error in the form of commander, which is read again" },
	{ path: `${cli}/chat`, text: "plain", reason: "a kind of text" },
	{ path: `${cli}/chat`, text: "markdown", reason: "a kind of text" },
	{ path: `${cli}/connectors/start-for-person.ts`, text: "ask ", reason: "commands to run" },
	{
		path: `${cli}/service/launchd.ts`,
		text: "last exit code",
		reason: "compared with the output of launchctl",
	},
	{ path: `${cli}/gateway/platform.ts`, reason: "names of platforms" },
	{ path: `${gateway}/config/configuration-page.ts`, reason: "parts of a generated page" },
	{ path: `${gateway}/config/json-schema.ts`, reason: "name of a file" },
	{ path: `${gateway}/config/sources.ts`, text: "parley config set", reason: "a command" },
	{
		path: `${gateway}/data-directory/data-lock.ts`,
		text: "database or disk is full",
		reason: "compared with a message of SQLite",
	},
	{ path: `${gateway}/grpc/callers.ts`, text: "not authenticated", reason: "an internal error, for the log" },
	{ path: `${gateway}/pages/html-page.ts`, text: "default-src", reason: "value of a header" },
	{ path: `${gateway}/rpc/open-agent.ts`, text: "Parley", reason: "name of the program" },
	{
		path: `${gateway}/secret-page/answer-secret-page.ts`,
		text: "GET, HEAD, POST",
		reason: "value of a header",
	},
	{ path: `${gateway}/wires/http`, text: "default-src", reason: "value of a header" },
	{ path: `${gateway}/wires/http`, text: "GET, HEAD, POST", reason: "value of a header" },
	{
		path: `${gateway}/wires/kontekst/connection.ts`,
		text: "run already started",
		reason: "fixed by Kontekst",
	},
	{ path: `${gateway}/wires/mcp/connection.ts`, text: "Parley", reason: "name of the program" },
	{ path: `${gateway}/wires/ozzie/connection.ts`, text: "a connection without", reason: "name of a symbol" },
	{ path: `${gateway}/wires/ozzie/connection.ts`, text: "session not found", reason: "prefix of Ozzie" },
	{ path: `${gateway}/wires/ozzie/error-code.ts`, reason: "prefixes of Ozzie" },
	{
		path: `${gateway}/wires/ozzie/methods/request.ts`,
		text: "the session of",
		reason: "a key of the journal",
	},
	{ path: `${gateway}/wires/roz/methods/stream-session.ts`, reason: "message of grpc-js for the same fault" },
	{ path: `${gateway}/wires/zot/codec.ts`, text: "malformed json", reason: "an error of Zot" },
	{ path: `${gateway}/wires/zot/connection.ts`, reason: "errors of Zot" },
	{ path: `${gateway}/wires/zot/error-code.ts`, reason: "an error of Zot" },
	{ path: `${gateway}/wires/zot/methods/prompts.ts`, reason: "errors of Zot" },
];

/** Maximum number of findings by package. Lower a maximum when the number falls, and never raise it. */
const maxima = { connector: 0, discord: 0, slack: 0, cli: 0, gateway: 0 };

/** Packages whose errors are visible to users or clients. */
const withErrors: readonly string[] = ["cli", "gateway"];

function outside(name: string): { readonly file: string; readonly text: string }[] {
	const files = globSync(`packages/${name}/src/**/*.ts`, { cwd: root }).filter(
		(file) => !/\.test\.ts$|\/(?:testing|texts|gen)\//.test(file),
	);
	return files.flatMap((file) =>
		userTexts(file, readFileSync(join(root, file), "utf8"), { errors: withErrors.includes(name) }).map(
			({ text }) => ({ file, text }),
		),
	);
}

test.each(Object.entries(maxima))("user texts of %s are in a folder texts", (name, maximum) => {
	const matches = outside(name).filter(({ file, text }) => !isExcepted(exceptions, file, text));
	expect(matches.length, matches.map(({ file, text }) => `${file}: ${text}`).join("\n")).toBeLessThanOrEqual(
		maximum,
	);
});

test("each exception is for a text", () => {
	const matches = Object.keys(maxima).flatMap(outside);
	const unused = exceptions.filter((one) => !matches.some(({ file, text }) => isExcepted([one], file, text)));
	expect(unused).toEqual([]);
});

test("sentences, buttons and titles are found, and log lines, errors and names are not", () => {
	const source = [
		'reply("This channel is " + state);',
		["reply(`You have $", "{count} open tasks`);"].join(""),
		'button({ type: "button", label: "Deny", name: "deny" });',
		'this.#parts.log.warn("a post waits for its channel", { text: "some more words" });',
		'throw new ParleyError("the row is no longer there", { code: "not_found" });',
		"query(sql`select what from the table`);",
		'type Name = "a name of three words";',
	].join("\n");
	const texts = ["This channel is {…}", "You have {…} open tasks", "Deny"];
	expect(userTexts("post.ts", source).map(({ text }) => text)).toEqual(texts);
	expect(userTexts("post.ts", source, { errors: true }).map(({ text }) => text)).toEqual([
		...texts,
		"the row is no longer there",
	]);
});
