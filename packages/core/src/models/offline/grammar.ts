import { defined, ParleyError, parseJson } from "@parley/base";
import { type offlineCommandTexts, offlineGrammarTexts } from "./texts.ts";

export type OfflineCommand =
	| { readonly kind: "say" | "think"; readonly text: string }
	| { readonly kind: "long"; readonly tokens: number; readonly perSecond: number }
	| { readonly kind: "fail"; readonly reason: string }
	| OfflineCall;

/**
 * Tool call in a reply. `together`: whether the call belongs to the reply of the previous call, if there is a previous
 * call.
 */
interface OfflineCall {
	readonly kind: "call";
	readonly name: string;
	readonly arguments: unknown;
	readonly together: boolean;
}

type OfflineWord = keyof typeof offlineCommandTexts;

interface Reader {
	/** Whether the command calls a tool. Only a command that calls a tool may follow `& `. */
	readonly calls: boolean;
	/**
	 * Returns the command with the trimmed, non-empty text after the colon. Throws `invalid_argument` if the command does
	 * not accept the text.
	 */
	read(argument: string): OfflineCommand;
}

const MAX_TOKENS = 1_000_000;

/** Readers of the commands by command word. The help lists the same command words, from `offlineCommandTexts`. */
const commands: Readonly<Record<OfflineWord, Reader>> = {
	say: answers((text) => ({ kind: "say", text })),
	think: answers((text) => ({ kind: "think", text })),
	run: calls((cmd) => ["run_command", { cmd }]),
	start: calls((cmd) => ["run_command", { cmd, background: true }]),
	output: calls((n) => ["command_output", { command: readNumber(n), wait_ms: 5_000 }]),
	stop: calls((n) => ["stop_command", { command: readNumber(n) }]),
	read: calls((path) => ["read_file", { path }]),
	write: calls(readWrite),
	edit: calls(readEdit),
	list: calls(readList),
	search: calls(readSearch),
	git: calls(readGit),
	send: calls((path) => ["send_file", { path }]),
	fetch: calls((url) => ["web_fetch", { url }]),
	web: calls((query) => ["web_search", { query }]),
	tool: calls(readTool),
	remember: calls((content) => ["store_memory", { content }]),
	recall: calls((query) => ["query_memories", { query }]),
	notes: calls(readNotes),
	forget: calls((id) => ["forget_memory", { memory_id: id }]),
	schedule: calls(readSchedule),
	schedules: calls(() => ["list_schedules", {}]),
	unschedule: calls((id) => ["unschedule_task", { id }]),
	ask: calls((label) => ["ask_user", { type: "text", label }]),
	choose: calls((argument) => [
		"ask_user",
		{ type: "select", label: offlineGrammarTexts.chooseOne, options: readOptions(argument) },
	]),
	pick: calls((argument) => [
		"ask_user",
		{ type: "multi", label: offlineGrammarTexts.pickAny, options: readOptions(argument) },
	]),
	secret: calls((label) => ["ask_user", { type: "password", label }]),
	todo: calls(readTodo),
	plan: calls(readTodo),
	skill: calls(readSkillCall),
	delegate: calls(readDelegate),
	review: calls(readReview),
	spawn: calls(readSpawn),
	wait: calls(readWait),
	long: answers(readLong),
	fail: answers((reason) => ({ kind: "fail", reason })),
};

const readers = new Map<string, Reader>(Object.entries(commands));

/**
 * Returns the commands of a message in the order of its lines. Ignores all other lines, and spaces and tabs before a
 * command. A command that cannot be parsed becomes a `say` command with the reason.
 */
export function parseCommands(message: string): OfflineCommand[] {
	return message.split(/\r\n|\r|\n/).flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): OfflineCommand | undefined {
	const [, together, word = "", argument = ""] = /^[ \t]*(& +)?([a-z]+):(.*)$/s.exec(line) ?? [];
	const reader = readers.get(word);
	if (reader === undefined || (together !== undefined && !reader.calls)) return undefined;
	const command = readArgument(word, reader, argument.trim());
	return command.kind === "call" ? { ...command, together: together !== undefined } : command;
}

function readArgument(word: string, reader: Reader, argument: string): OfflineCommand {
	try {
		if (argument === "") throw unreadable(offlineGrammarTexts.noArgument);
		return reader.read(argument);
	} catch (reason) {
		const { message } = ParleyError.from(reason);
		return { kind: "say", text: offlineGrammarTexts.notCarriedOut(word, message) };
	}
}

function answers(read: (argument: string) => OfflineCommand): Reader {
	return { calls: false, read };
}

function calls(read: (argument: string) => readonly [name: string, args: unknown]): Reader {
	const readCall = (argument: string): OfflineCall => {
		const [name, args] = read(argument);
		return { kind: "call", name, arguments: args, together: false };
	};
	return { calls: true, read: readCall };
}

function readWrite(argument: string): [string, unknown] {
	const [path = "", content] = splitAt(argument, "<<<");
	if (path === "" || content === undefined) throw unreadable(offlineGrammarTexts.write);
	return ["write_file", { path, content: readText(content) }];
}

function readEdit(argument: string): [string, unknown] {
	const [path = "", change = ""] = splitAt(argument, "<<<");
	const [old = "", text] = splitAt(change, ">>>");
	if (path === "" || old === "" || text === undefined) {
		throw unreadable(offlineGrammarTexts.edit);
	}
	return ["edit_file", { path, old_text: readText(old), new_text: readText(text) }];
}

function splitAt(text: string, mark: string): string[] {
	const at = text.indexOf(mark);
	return at === -1 ? [text] : [text.slice(0, at).trim(), text.slice(at + mark.length).trim()];
}

/** Replaces `\n` with a line feed and `\\` with a backslash. */
function readText(text: string): string {
	return text.replace(/\\([n\\])/g, (_, letter) => (letter === "n" ? "\n" : "\\"));
}

function readList(argument: string): [string, unknown] {
	return ["list_files", /[*?[{]/.test(argument) ? { pattern: argument } : { path: argument }];
}

/** Reads `PATTERN in PATH` or `PATTERN`. */
function readSearch(argument: string): [string, unknown] {
	const at = argument.lastIndexOf(" in ");
	if (at === -1) return ["search_files", { pattern: argument }];
	const pattern = argument.slice(0, at).trim();
	return ["search_files", { pattern, path: argument.slice(at + " in ".length).trim() }];
}

/** Reads arguments that white space separates. Quotes join words and have no other meaning. */
function readGit(argument: string): [string, unknown] {
	const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
	if (argument.replace(word, "").trim() !== "") throw unreadable(offlineGrammarTexts.openQuote);
	const words = argument.match(word) ?? [];
	return ["git", { args: words.map((quoted) => quoted.replace(/"([^"]*)"|'([^']*)'/g, "$1$2")) }];
}

/** Reads `NAME {JSON}` or `NAME`. */
function readTool(argument: string): [string, unknown] {
	const [, name, json = ""] = /^([^\s{]+)\s*(.*)$/s.exec(argument) ?? [];
	if (name === undefined) throw unreadable(offlineGrammarTexts.noTool);
	const args = json === "" ? {} : parseJson(json, { uniqueKeys: true });
	if (typeof args === "object" && args !== null && !Array.isArray(args)) return [name, args];
	throw unreadable(offlineGrammarTexts.notObject);
}

function readOptions(argument: string): string[] {
	const options = argument.split("|").map((option) => option.trim());
	if (options.includes("")) throw unreadable(offlineGrammarTexts.emptyOption);
	return options;
}

function readNotes(argument: string): [string, unknown] {
	return ["list_memories", argument === "all" ? {} : { scope: argument }];
}

function readSchedule(argument: string): [string, unknown] {
	const [when = "", message = ""] = splitAt(argument, "<<<");
	if (when === "" || message === "") throw unreadable(offlineGrammarTexts.schedule);
	return ["schedule_task", { when, prompt: readText(message) }];
}

/** Reads the steps of a list, with optional marks, such as `x Build | > Test | Deploy`. */
function readTodo(argument: string): [string, unknown] {
	return ["todo", { items: readOptions(argument).map(readStep) }];
}

const stepStates: Readonly<Record<string, string>> = { x: "done", ">": "active", "-": "skipped" };

function readStep(written: string): object {
	const [, mark = "", text = ""] = /^(?:([x>-]) +)?(.*)$/s.exec(written) ?? [];
	return { text, state: stepStates[mark] ?? "open" };
}

function readSkillCall(argument: string): [string, unknown] {
	const [, name = "", given = ""] = /^(\S+)\s*(.*)$/s.exec(argument) ?? [];
	return ["skill", { name, ...defined({ arguments: given || undefined }) }];
}

/** Reads `REASON <<< PLAN`. If the plan is missing, the reason is also the plan. */
function readReview(argument: string): [string, unknown] {
	const [reason = "", content = reason] = splitAt(argument, "<<<");
	if (reason === "" || content === "") throw unreadable(offlineGrammarTexts.review);
	return ["request_review", { reason, content: readText(content) }];
}

function readSpawn(argument: string): [string, unknown] {
	const [title = "", description = ""] = splitAt(argument, "<<<");
	if (title === "" || description === "") throw unreadable(offlineGrammarTexts.spawn);
	return ["spawn_worker", { title, description: readText(description) }];
}

/** Reads `TITLE <<< INSTRUCTIONS`, or `AGENT: TITLE <<< INSTRUCTIONS`. */
function readDelegate(argument: string): [string, unknown] {
	const [named = "", instructions = ""] = splitAt(argument, "<<<");
	if (named === "" || instructions === "") throw unreadable(offlineGrammarTexts.delegate);
	const [, agent, title = named] = /^([\p{L}\p{N}._-]+): +(.+)$/su.exec(named) ?? [];
	return ["delegate", { work: [{ title, instructions: readText(instructions), ...defined({ agent }) }] }];
}

function readNumber(argument: string): number {
	if (/^\d{1,6}$/.test(argument)) return Number(argument);
	throw unreadable(offlineGrammarTexts.commandNumber);
}

function readWait(argument: string): [string, unknown] {
	if (argument === "all") return ["wait_for_workers", {}];
	throw unreadable(offlineGrammarTexts.onlyAll);
}

/** Reads `N tokens at M per second`. Without a rate, the reply has no pauses. */
function readLong(argument: string): OfflineCommand {
	const [, tokens, perSecond] = /^(\d+) +tokens?(?: +at +(\d+) +per +second)?$/.exec(argument) ?? [];
	const long = {
		kind: "long",
		tokens: Number(tokens),
		perSecond: perSecond === undefined ? Number.POSITIVE_INFINITY : Number(perSecond),
	} as const;
	if (long.tokens >= 1 && long.tokens <= MAX_TOKENS && long.perSecond >= 1) return long;
	throw unreadable(offlineGrammarTexts.long(MAX_TOKENS));
}

function unreadable(reason: string): ParleyError {
	return new ParleyError(reason, { code: "invalid_argument" });
}
