import { defined, ParleyError, parseJson } from "@parley/base";

export type OfflineCommand =
	| { readonly kind: "say" | "think"; readonly text: string }
	| { readonly kind: "long"; readonly tokens: number; readonly perSecond: number }
	| { readonly kind: "fail"; readonly reason: string }
	| OfflineCall;

/** A tool call; `together` adds it to the reply of the call before. */
interface OfflineCall {
	readonly kind: "call";
	readonly name: string;
	readonly arguments: unknown;
	readonly together: boolean;
}

interface CommandWord {
	readonly word: string;
	/** Text after the colon in the example of the help. */
	readonly example: string;
	/** For people, at most 40 characters. */
	readonly meaning: string;
	/** Whether it calls a tool, so that `& ` may precede it. */
	readonly calls: boolean;
	/** Reads the text after the colon, trimmed and never empty. Throws `invalid_argument` with a reason. */
	read(argument: string): OfflineCommand;
}

const MAX_TOKENS = 1_000_000;

/** The complete language, from which the parser and the help are generated. */
export const commandWords: readonly CommandWord[] = [
	text("say", "good morning", "answers with the text", (text) => ({ kind: "say", text: text })),
	text("think", "first things first", "thinks the text aloud", (thought) => ({
		kind: "think",
		text: thought,
	})),
	call("run", "git status", "runs a command", (cmd) => ["run_command", { cmd }]),
	call("start", "npm run dev", "starts a command in the background", (cmd) => [
		"run_command",
		{ cmd, background: true },
	]),
	call("output", "1", "waits for output of such a command", (n) => [
		"command_output",
		{ command: readNumber(n), wait_ms: 5_000 },
	]),
	call("stop", "1", "stops such a command", (n) => ["stop_command", { command: readNumber(n) }]),
	call("read", "README.md", "reads a file", (path) => ["read_file", { path }]),
	call("write", "notes.txt <<< one\\ntwo", "writes a file; \\n is a new line", readWrite),
	call("edit", "notes.txt <<< one >>> two", "replaces a text in a file", readEdit),
	call("list", "**/*.md", "lists files by pattern or directory", readList),
	call("search", "TODO in src", 'searches files; "in src" is optional', readSearch),
	call("git", "log --oneline -5", "runs a command of git", readGit),
	call("send", "report.pdf", "sends you a file", (path) => ["send_file", { path }]),
	call("fetch", "https://example.org/", "fetches a page", (url) => ["web_fetch", { url }]),
	call("web", "tide tables", "searches the web", (query) => ["web_search", { query }]),
	call("tool", 'read_file {"path": "README.md"}', "calls any tool with JSON arguments", readTool),
	call("remember", "I like tea", "stores a note about you", (content) => ["store_memory", { content }]),
	call("recall", "tea", "finds notes by words", (query) => ["query_memories", { query }]),
	call("notes", "all", "lists notes; or only of one scope", readNotes),
	call("forget", "mem_4k2x", "deletes a note", (id) => ["forget_memory", { memory_id: id }]),
	call("schedule", "every day at 9:00 <<< Tea", "sends you a message at given times", readSchedule),
	call("schedules", "all", "lists your schedules", () => ["list_schedules", {}]),
	call("unschedule", "sched_4k2x", "removes a schedule", (id) => ["unschedule_task", { id }]),
	call("ask", "What is your name?", "asks you for a text", (label) => ["ask_user", { type: "text", label }]),
	call("choose", "tea | coffee", "lets you choose one", (argument) => [
		"ask_user",
		{ type: "select", label: "Choose one", options: readOptions(argument) },
	]),
	call("pick", "red | green | blue", "lets you pick several", (argument) => [
		"ask_user",
		{ type: "multi", label: "Pick any", options: readOptions(argument) },
	]),
	call("secret", "API key", "asks for a password, which stays hidden", (label) => [
		"ask_user",
		{ type: "password", label },
	]),
	call("todo", "x look | > change | test", "keeps a list of steps: x done, > active", readTodo),
	call("plan", "x look | > change | test", "does the same as todo", readTodo),
	call("skill", "deploy main", "uses a skill, with its arguments", readSkillCall),
	call("delegate", "Count <<< run: wc notes.txt", "gives work to a sub-agent", readDelegate),
	call("review", "A new table? <<< Two columns.", "asks people to review a task's plan", readReview),
	call("spawn", "Count <<< run: wc notes.txt", "gives a part of a task to a worker", readSpawn),
	call("wait", "all", "waits for all workers of a task", readWait),
	text("long", "200 tokens at 20 per second", "streams words; the speed is optional", readLong),
	text("fail", "out of ideas", "makes the model call fail", (reason) => ({ kind: "fail", reason })),
];

const wordsByName = new Map(commandWords.map((entry) => [entry.word, entry]));

/**
 * The commands of a message in the order of its lines. All other lines are ignored. Spaces and tabs before a command do not
 * matter. A command that cannot be parsed becomes a `say` with the reason.
 */
export function parseCommands(message: string): OfflineCommand[] {
	return message.split(/\r\n|\r|\n/).flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): OfflineCommand | undefined {
	const [, together, word = "", argument = ""] = /^[ \t]*(& +)?([a-z]+):(.*)$/s.exec(line) ?? [];
	const entry = wordsByName.get(word);
	if (entry === undefined || (together !== undefined && !entry.calls)) return undefined;
	const command = readArgument(entry, argument.trim());
	return command.kind === "call" ? { ...command, together: together !== undefined } : command;
}

function readArgument(entry: CommandWord, argument: string): OfflineCommand {
	try {
		if (argument === "") throw unreadable("the text after the colon is missing");
		return entry.read(argument);
	} catch (reason) {
		const { message } = ParleyError.from(reason);
		const example = `\`${entry.word}: ${entry.example}\``;
		return { kind: "say", text: `"${entry.word}:" was not carried out: ${message}. An example: ${example}` };
	}
}

function text(
	word: string,
	example: string,
	meaning: string,
	read: (argument: string) => OfflineCommand,
): CommandWord {
	return { word, example, meaning, calls: false, read };
}

function call(
	word: string,
	example: string,
	meaning: string,
	read: (argument: string) => readonly [name: string, args: unknown],
): CommandWord {
	const readCall = (argument: string): OfflineCall => {
		const [name, args] = read(argument);
		return { kind: "call", name, arguments: args, together: false };
	};
	return { word, example, meaning, calls: true, read: readCall };
}

/** `PATH <<< TEXT`. */
function readWrite(argument: string): [string, unknown] {
	const [path = "", content] = splitAt(argument, "<<<");
	if (path === "" || content === undefined) throw unreadable("it needs a path, <<< and a text");
	return ["write_file", { path, content: readText(content) }];
}

/** `PATH <<< OLD >>> NEW`. */
function readEdit(argument: string): [string, unknown] {
	const [path = "", change = ""] = splitAt(argument, "<<<");
	const [old = "", text] = splitAt(change, ">>>");
	if (path === "" || old === "" || text === undefined) {
		throw unreadable("it needs a path, <<<, the old text, >>> and the new text");
	}
	return ["edit_file", { path, old_text: readText(old), new_text: readText(text) }];
}

/** Trimmed text before and after the first `mark`. Without a mark, only the text. */
function splitAt(text: string, mark: string): string[] {
	const at = text.indexOf(mark);
	return at === -1 ? [text] : [text.slice(0, at).trim(), text.slice(at + mark.length).trim()];
}

/** `\n` means a line end and `\\` a backslash. No line end is added. */
function readText(text: string): string {
	return text.replace(/\\([n\\])/g, (_, letter) => (letter === "n" ? "\n" : "\\"));
}

/** A pattern if it contains a wildcard, else a directory. */
function readList(argument: string): [string, unknown] {
	return ["list_files", /[*?[{]/.test(argument) ? { pattern: argument } : { path: argument }];
}

/** `PATTERN in PATH`, parted at the last ` in `; without it all is the pattern. */
function readSearch(argument: string): [string, unknown] {
	const at = argument.lastIndexOf(" in ");
	if (at === -1) return ["search_files", { pattern: argument }];
	const pattern = argument.slice(0, at).trim();
	return ["search_files", { pattern, path: argument.slice(at + " in ".length).trim() }];
}

/** Splits at spaces. Single or double quotes join words and have no other meaning. */
function readGit(argument: string): [string, unknown] {
	const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
	if (argument.replace(word, "").trim() !== "") throw unreadable("a quote is not closed");
	const words = argument.match(word) ?? [];
	return ["git", { args: words.map((quoted) => quoted.replace(/"([^"]*)"|'([^']*)'/g, "$1$2")) }];
}

/** `NAME {JSON}`; without JSON the arguments are an empty object. */
function readTool(argument: string): [string, unknown] {
	const [, name, json = ""] = /^([^\s{]+)\s*(.*)$/s.exec(argument) ?? [];
	if (name === undefined) throw unreadable("the name of the tool is missing");
	const args = json === "" ? {} : parseJson(json, { uniqueKeys: true });
	if (typeof args === "object" && args !== null && !Array.isArray(args)) return [name, args];
	throw unreadable("the arguments are not a JSON object");
}

function readOptions(argument: string): string[] {
	const options = argument.split("|").map((option) => option.trim());
	if (options.includes("")) throw unreadable("a choice between two bars is empty");
	return options;
}

/** `all`, or a scope. */
function readNotes(argument: string): [string, unknown] {
	return ["list_memories", argument === "all" ? {} : { scope: argument }];
}

/** `WHEN <<< MESSAGE`. */
function readSchedule(argument: string): [string, unknown] {
	const [when = "", message = ""] = splitAt(argument, "<<<");
	if (when === "" || message === "") throw unreadable("it needs a time, <<< and a message");
	return ["schedule_task", { when, prompt: readText(message) }];
}

/** Steps between bars. `x ` before a text means done, `> ` active, `- ` skipped. */
function readTodo(argument: string): [string, unknown] {
	return ["todo", { items: readOptions(argument).map(readStep) }];
}

const stepStates: Readonly<Record<string, string>> = { x: "done", ">": "active", "-": "skipped" };

function readStep(written: string): object {
	const [, mark = "", text = ""] = /^(?:([x>-]) +)?(.*)$/s.exec(written) ?? [];
	return { text, state: stepStates[mark] ?? "open" };
}

/** `NAME ARGUMENTS`. */
function readSkillCall(argument: string): [string, unknown] {
	const [, name = "", given = ""] = /^(\S+)\s*(.*)$/s.exec(argument) ?? [];
	return ["skill", { name, ...defined({ arguments: given || undefined }) }];
}

/** `REASON <<< PLAN`. Without a plan, the reason is the plan. */
function readReview(argument: string): [string, unknown] {
	const [reason = "", content = reason] = splitAt(argument, "<<<");
	if (reason === "" || content === "") throw unreadable("it needs a reason, <<< and a plan");
	return ["request_review", { reason, content: readText(content) }];
}

/** `TITLE <<< DESCRIPTION`. */
function readSpawn(argument: string): [string, unknown] {
	const [title = "", description = ""] = splitAt(argument, "<<<");
	if (title === "" || description === "") throw unreadable("it needs a title, <<< and a description");
	return ["spawn_worker", { title, description: readText(description) }];
}

/** `TITLE <<< INSTRUCTIONS`, or `AGENT: TITLE <<< INSTRUCTIONS`. */
function readDelegate(argument: string): [string, unknown] {
	const [named = "", instructions = ""] = splitAt(argument, "<<<");
	if (named === "" || instructions === "") throw unreadable("it needs a title, <<< and instructions");
	const [, agent, title = named] = /^([\p{L}\p{N}._-]+): +(.+)$/su.exec(named) ?? [];
	return ["delegate", { work: [{ title, instructions: readText(instructions), ...defined({ agent }) }] }];
}

function readNumber(argument: string): number {
	if (/^\d{1,6}$/.test(argument)) return Number(argument);
	throw unreadable("it needs the number of a command");
}

function readWait(argument: string): [string, unknown] {
	if (argument === "all") return ["wait_for_workers", {}];
	throw unreadable("it waits for all");
}

/** `N tokens at M per second`, whole numbers. Without a rate, at full speed. */
function readLong(argument: string): OfflineCommand {
	const [, tokens, perSecond] = /^(\d+) +tokens?(?: +at +(\d+) +per +second)?$/.exec(argument) ?? [];
	const long = {
		kind: "long",
		tokens: Number(tokens),
		perSecond: perSecond === undefined ? Number.POSITIVE_INFINITY : Number(perSecond),
	} as const;
	if (long.tokens >= 1 && long.tokens <= MAX_TOKENS && long.perSecond >= 1) return long;
	throw unreadable(`it takes 1 to ${MAX_TOKENS} tokens, at 1 or more per second`);
}

function unreadable(why: string): ParleyError {
	return new ParleyError(why, { code: "invalid_argument" });
}

const examples = commandWords.map(({ word, example, meaning }) => ({
	example: `${word}: ${example}`,
	meaning,
}));
const width = Math.max(...examples.map(({ example }) => example.length));
const table = examples.map(({ example, meaning }) => `  ${example.padEnd(width)}  ${meaning}`).join("\n");

/** The text of `parley help offline`: every command of the offline model with an example, and the rules. */
export const offlineHelp = `The offline model: a small assistant inside Parley

It needs no key and no network. It is not a language model: it runs the
commands that you write, always in the same way.

${table}

Rules
  - A line of your message is a command when it starts with one of these words
    (in lower case) and a colon; spaces before it do not matter. Other lines
    are ignored. A message without any command gets a short plain answer.
  - Commands run from the first to the last. The next reply repeats the
    result of a tool.
  - "& " before a command that calls a tool puts the call into the same reply
    as the call before it, so that their approvals come together:
      run: make build
      & run: make lint
  - In the texts of "write:", "edit:", "review:", "delegate:" and "spawn:", \\n
    is a new line and \\\\ is a backslash.
  - "plan:", "review:", "spawn:" and "wait:" are for the descriptions of tasks,
    which have these tools; "- " before a step means that it is skipped.
  - "run:", "read:", "write:" and "edit:" call the tools for this in the
    session, also if they have the names bash, read, write and edit.
  - "list:" takes a pattern or a directory. In "git:", quotes keep words
    together.
  - Usage is counted as one token for every four characters. It costs nothing.
`;
