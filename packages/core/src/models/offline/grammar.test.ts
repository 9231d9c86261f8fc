import { ManualClock, seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { builtinTools } from "../../tools/builtin.ts";
import { createWebFetch } from "../../tools/web/web-fetch.ts";
import { createWebSearch } from "../../tools/web/web-search.ts";
import { taskTools } from "../../use-cases/tasks/tools/task-tools.ts";
import { type OfflineCommand, parseCommands } from "./grammar.ts";
import { offlineCommandTexts } from "./texts.ts";

const helpExamples = Object.entries(offlineCommandTexts).map(([word, { example }]) => ({ word, example }));

const call = (name: string, args: unknown, together = false): OfflineCommand => ({
	kind: "call",
	name,
	arguments: args,
	together,
});
const say = (text: string): OfflineCommand => ({ kind: "say", text });
const noPace = Number.POSITIVE_INFINITY;

test.each<[line: string, command: OfflineCommand]>([
	["say: hello there", say("hello there")],
	["say:hello", say("hello")],
	["think: first things first", { kind: "think", text: "first things first" }],
	["run: echo hi", call("run_command", { cmd: "echo hi" })],
	["run: curl http://a/?b=c | wc", call("run_command", { cmd: "curl http://a/?b=c | wc" })],
	["read: a b.txt", call("read_file", { path: "a b.txt" })],
	["write: a.txt <<< one", call("write_file", { path: "a.txt", content: "one" })],
	["write: a.txt <<< one\\ntwo\\n", call("write_file", { path: "a.txt", content: "one\ntwo\n" })],
	["write: a.txt <<< C:\\\\new \\t", call("write_file", { path: "a.txt", content: "C:\\new \\t" })],
	["write: a.txt<<<x <<< y", call("write_file", { path: "a.txt", content: "x <<< y" })],
	["write: a.txt <<<", call("write_file", { path: "a.txt", content: "" })],
	["edit: a.txt <<< one >>> two", call("edit_file", { path: "a.txt", old_text: "one", new_text: "two" })],
	["edit: a.txt<<<1\\n\\\\>>>", call("edit_file", { path: "a.txt", old_text: "1\n\\", new_text: "" })],
	["edit: a <<< x >>> y >>> z", call("edit_file", { path: "a", old_text: "x", new_text: "y >>> z" })],
	["list: **/*.ts", call("list_files", { pattern: "**/*.ts" })],
	["list: {src,test}/", call("list_files", { pattern: "{src,test}/" })],
	["list: src", call("list_files", { path: "src" })],
	["list: .", call("list_files", { path: "." })],
	["search: TODO", call("search_files", { pattern: "TODO" })],
	["search: to do in src/a b", call("search_files", { pattern: "to do", path: "src/a b" })],
	["search: a in b in src", call("search_files", { pattern: "a in b", path: "src" })],
	["search: inside", call("search_files", { pattern: "inside" })],
	["git: status", call("git", { args: ["status"] })],
	["git: log  --oneline -5", call("git", { args: ["log", "--oneline", "-5"] })],
	['git: commit -m "it\'s two"', call("git", { args: ["commit", "-m", "it's two"] })],
	['git: add \'a "b"\'.txt ""', call("git", { args: ["add", 'a "b".txt', ""] })],
	["send: report.pdf", call("send_file", { path: "report.pdf" })],
	["remember: I like tea", call("store_memory", { content: "I like tea" })],
	["recall: tea", call("query_memories", { query: "tea" })],
	["notes: all", call("list_memories", {})],
	["notes: everyone", call("list_memories", { scope: "everyone" })],
	["forget: mem_4k2x", call("forget_memory", { memory_id: "mem_4k2x" })],
	["web: tide tables", call("web_search", { query: "tide tables" })],
	["fetch: https://example.org/", call("web_fetch", { url: "https://example.org/" })],
	['tool: any_name {"a": [1, {"b": null}]}', call("any_name", { a: [1, { b: null }] })],
	['tool: any_name{"a":1}', call("any_name", { a: 1 })],
	["tool: any_name", call("any_name", {})],
	["ask: Who are you?", call("ask_user", { type: "text", label: "Who are you?" })],
	["choose: A | B b", call("ask_user", { type: "select", label: "Choose one", options: ["A", "B b"] })],
	["pick: A|B | C", call("ask_user", { type: "multi", label: "Pick any", options: ["A", "B", "C"] })],
	["secret: API key", call("ask_user", { type: "password", label: "API key" })],
	[
		"todo: x look | > change | - ask | test",
		call("todo", {
			items: [
				{ text: "look", state: "done" },
				{ text: "change", state: "active" },
				{ text: "ask", state: "skipped" },
				{ text: "test", state: "open" },
			],
		}),
	],
	["plan: xylophone", call("todo", { items: [{ text: "xylophone", state: "open" }] })],
	["skill: deploy", call("skill", { name: "deploy" })],
	["skill: deploy  main now", call("skill", { name: "deploy", arguments: "main now" })],
	["review: May I?", call("request_review", { reason: "May I?", content: "May I?" })],
	["review: A table? <<< one\\ntwo", call("request_review", { reason: "A table?", content: "one\ntwo" })],
	[
		"spawn: Count <<< run: wc a\\nsay: done",
		call("spawn_worker", { title: "Count", description: "run: wc a\nsay: done" }),
	],
	[
		"delegate: Count <<< run: wc a\\nsay: done",
		call("delegate", { work: [{ title: "Count", instructions: "run: wc a\nsay: done" }] }),
	],
	[
		"delegate: reader: Count <<< run: wc a",
		call("delegate", { work: [{ title: "Count", instructions: "run: wc a", agent: "reader" }] }),
	],
	["& wait: all", call("wait_for_workers", {}, true)],
	["long: 200 tokens at 20 per second", { kind: "long", tokens: 200, perSecond: 20 }],
	["long: 1 token", { kind: "long", tokens: 1, perSecond: noPace }],
	["long: 1000000 tokens", { kind: "long", tokens: 1_000_000, perSecond: noPace }],
	["fail: out of ideas", { kind: "fail", reason: "out of ideas" }],
	["& run: echo hi", call("run_command", { cmd: "echo hi" }, true)],
	["&  tool: x {}", call("x", {}, true)],
	[" \t say: indented  ", say("indented")],
	["  & read: x", call("read_file", { path: "x" }, true)],
	["say: a\u2028b", say("a\u2028b")],
])("%j is one command", (line, command) => {
	expect(parseCommands(line)).toEqual([command]);
});

test.each([
	"",
	"hello",
	"please run: echo hi",
	"Run: echo hi",
	"run : echo hi",
	"runs: echo hi",
	"running",
	"note: read this",
	"- say: hi",
	"&run: echo hi",
	"& say: hi",
	"& long: 3 tokens",
	"constructor: x",
	"toString: x",
])("%j is not a command", (line) => {
	expect(parseCommands(line)).toEqual([]);
});

test.each([
	["say:", "the text after the colon is missing"],
	["& run:  ", "the text after the colon is missing"],
	["write: a.txt", "it needs a path, <<< and a text"],
	["write: <<< text", "it needs a path, <<< and a text"],
	["edit: a.txt", "it needs a path, <<<, the old text, >>>"],
	["edit: a.txt <<< one", "it needs a path, <<<, the old text, >>>"],
	["edit: a.txt <<< >>> two", "it needs a path, <<<, the old text, >>>"],
	["edit: <<< one >>> two", "it needs a path, <<<, the old text, >>>"],
	["edit: a.txt >>> two <<< one", "it needs a path, <<<, the old text, >>>"],
	['git: commit -m "open', "a quote is not closed"],
	['tool: x {"a":', "text is not JSON"],
	['tool: x {"__proto__": 1}', "__proto__"],
	['tool: {"a": 1}', "the name of the tool is missing"],
	["tool: x [1]", "the arguments are not a JSON object"],
	["tool: x null", "the arguments are not a JSON object"],
	["choose: A | | B", "a text between two bars (|) is empty"],
	["pick: A |", "a text between two bars (|) is empty"],
	["plan: look | | test", "a text between two bars (|) is empty"],
	["review: <<< a table", "it needs a reason"],
	["review: May I? <<<", "it needs a reason"],
	["spawn: Count", "it needs a title, <<< and a description"],
	["spawn: <<< run: wc", "it needs a title, <<< and a description"],
	["wait: task_1", "the command can only wait for all workers"],
	["long: many tokens", "1 to 1000000 tokens"],
	["long: 0 tokens", "1 to 1000000 tokens"],
	["long: 1000001 tokens", "1 to 1000000 tokens"],
	["long: 5 tokens at 0 per second", "at 1 or more per second"],
])("%j returns the error and an example", (line, reason) => {
	const word = /[a-z]+/.exec(line)?.[0];
	const [command, ...others] = parseCommands(line);
	expect(others).toEqual([]);
	expect(command).toEqual(say(expect.stringContaining(reason)));
	expect(command).toEqual(say(expect.stringContaining(`"${word}:" was not carried out: `)));
	expect(command).toEqual(say(expect.stringContaining(`\`${word}: `)));
});

test("commands are found in any line, in their order, with any line ends", () => {
	const text = "Dear agent,\r\nrun: one\nplease\n\n\tsay: two\rthink: three\nThank you: goodbye";
	expect(parseCommands(text)).toEqual([
		call("run_command", { cmd: "one" }),
		say("two"),
		{ kind: "think", text: "three" },
	]);
});

test("every example of the help is a command of its own word", () => {
	for (const { word, example } of helpExamples) {
		const [command, ...others] = parseCommands(`${word}: ${example}`);
		expect(others).toEqual([]);
		expect(command?.kind, word).toBe(["say", "think", "long", "fail"].includes(word) ? word : "call");
	}
});

test("every tool can be called by a line, and accepts the arguments of the examples", () => {
	const tools = [
		...new Set([
			...builtinTools(),
			createWebFetch({ clock: new ManualClock(), ids: seededIds(1) }),
			createWebSearch({
				provider: { title: "x", origin: "https://x.example", search: async () => [] },
				ids: seededIds(1),
			}),
			...taskTools({ supervised: true, spawns: true }),
		]),
	];
	const called = helpExamples
		.flatMap(({ word, example }) => parseCommands(`${word}: ${example}`))
		.filter((command) => command.kind === "call");
	for (const { name, arguments: args } of called) {
		const tool = tools.find((entry) => entry.name === name);
		expect(tool?.parameters().safeParse(args).success, name).toBe(true);
	}
	expect([...new Set(called.map(({ name }) => name))].sort()).toEqual(tools.map(({ name }) => name).sort());
});

test("a hostile message is parsed in linear time", () => {
	const message = `${" ".repeat(200_000)}\nwrite: ${" ".repeat(50_000)}x\ntool: ${"a".repeat(200_000)}
git: ${"'".repeat(100_001)}\ngit: ${`a"b"`.repeat(50_000)}\nsearch: ${" in ".repeat(50_000)}\nedit: ${"<<<>>>".repeat(50_000)}`;
	expect(parseCommands(message)).toHaveLength(6);
});
