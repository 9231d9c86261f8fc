import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { programSuggestions, usualName } from "./command-line/synonyms.ts";
import { createProgram } from "./program.ts";
import { run } from "./run.ts";
import { CapturedIo } from "./testing/captured-io.ts";

async function runLine(line: string, environment: NodeJS.ProcessEnv = {}) {
	const io = new CapturedIo(environment);
	const code = await run(line === "" ? [] : line.split(" "), io);
	return { code, out: io.drainOut(), error: io.drainError() };
}

test.each([
	["chta", "unknown command 'chta'; did you mean chat?\nallowed: chat, ask, answer, sessions, "],
	["gateway --lisen 1", "unknown option '--lisen'; did you mean --listen?\nallowed: --listen, --data, "],
	["ask", "missing required argument 'message'\nusage: parley ask [options] <message...>"],
	["token now", "unknown command 'now'\nallowed: create, list, rotate, revoke"],
	["gateway --data", "option '--data <dir>' argument missing\nusage: parley gateway"],
	[
		"usage --by week",
		"option '--by <group>' argument 'week' is invalid. Allowed choices are day, model, session",
	],
	[
		"budget set week 5",
		"command-argument value 'week' is invalid for argument 'period'. Allowed choices are day, month",
	],
	["budget set day much", 'invalid budget "much"\nallowed: an amount of US dollars, none, configured'],
	[
		"budget set day",
		"missing required argument 'limit'\nusage: parley budget set [options] <period> <limit>",
	],
	["chat --session x --profile y", "option '--profile <name>' cannot be used with option '--session <id>'"],
	["help policy nothing", "no help topic 'policy nothing'\nallowed: test, show, check"],
	["help ask nothing", "no help topic 'ask nothing'\nallowed: parley help ask"],
	["list", "unknown command 'list'; did you mean sessions?\nallowed: "],
	["rm", "unknown command 'rm'; did you mean sessions delete?\nallowed: "],
	["log", "unknown command 'log'; did you mean logs?\nallowed: "],
	["login", "unknown command 'login'; did you mean setup?\nallowed: "],
	["tasks list", "unknown command 'list'; did you mean parley tasks?\nusage: parley tasks [options]"],
	["task ls", "unknown command 'ls'; did you mean parley tasks?\nallowed: submit, "],
	["config list", "unknown command 'list'; did you mean parley config get?\nallowed: get, "],
	["models now", "too many arguments for 'models'. Expected 0 arguments but got 1: now\nusage: "],
	["service start", "unknown command 'start'; did you mean install?\nallowed: install, "],
	["mcp rm files", "unknown command 'rm'; did you mean remove?\nallowed: "],
	[
		"sessions rm sess_1",
		"unknown command 'rm'; did you mean delete?\nto search for the word: parley sessions search rm",
	],
	[
		"sessions exprt x",
		"unknown command 'exprt'; did you mean export?\nto search for the word: parley sessions search exprt",
	],
	[
		"sessions shwo x",
		"unknown command 'shwo'; did you mean show?\nto search for the word: parley sessions search shwo",
	],
	[
		"memories remove x",
		"unknown command 'remove'; did you mean forget?\nto search for the word: parley memories search",
	],
	["--url http://127.0.0.1:1 doctor", "parley doctor does not use --url\nusage: parley doctor [options]"],
	["help nothing", "no help topic 'nothing'\nallowed: chat, ask, "],
])("`parley %s` prints the error and the allowed values", async (line, words) => {
	const { code, out, error } = await runLine(line);
	expect(code).toBe(2);
	expect(out).toBe("");
	expect(error).toContain(`parley: ${words}`);
	expect(error.trimEnd().split("\n")).toHaveLength(2);
});

test.each([
	["gateway --auth maybe", /^parley: "maybe" is not allowed for .*--auth.*; allowed: local, token, none\n$/],
	["gateway --listen nowhere", /^parley: "nowhere" is not allowed for .*--listen.*; allowed: HOST:PORT/],
	[
		"gateway --test-hooks nonsense",
		/^parley: invalid failpoint "nonsense": use NAME=kill@N or NAME=pause@N, with N from 1\n$/,
	],
	["ask --url ftp://x hello", /^parley: "ftp:\/\/x" is not the address of a gateway/],
	["ask  ", /^parley: the message is empty: write .*\n$/],
])("`parley %s` is rejected before it changes anything", async (line, words) => {
	const { code, error } = await runLine(line, { PARLEY_DATA: "/nonexistent" });
	expect(code).toBe(2);
	expect(error).toMatch(words);
});

test("prints one line if no gateway runs", async () => {
	const { code, error } = await runLine("sessions --url http://127.0.0.1:1");
	expect(code).toBe(1);
	expect(error).toMatch(/^parley: no gateway listens at ws:\/\/127\.0\.0\.1:1\/api\/ws: .*\n$/);
});

test.each(["--url http://127.0.0.1:1 sessions show sess_1", "sessions --url http://127.0.0.1:1 show sess_1"])(
	"`parley %s` applies the flag",
	async (line) => {
		const { code, error } = await runLine(line);
		expect({ code, error }).toEqual({ code: 1, error: expect.stringMatching(/127\.0\.0\.1:1/) });
	},
);

test("prefers a flag behind the name of the command", async () => {
	const { error } = await runLine("--url http://127.0.0.1:1 sessions --url http://127.0.0.1:2");
	expect(error).toContain("127.0.0.1:2");
});

test("prefers a flag behind the name also for a subcommand", async () => {
	const { error } = await runLine("--url http://127.0.0.1:1 sessions show sess_1 --url http://127.0.0.1:2");
	expect(error).toContain("127.0.0.1:2");
	expect(error).not.toContain("127.0.0.1:1");
});

test("an error of rpc is one line with exit code 1, also behind --data", async () => {
	const { code, error } = await runLine("--data /nonexistent rpc --frobnicate");
	expect(code).toBe(1);
	expect(error.trimEnd().split("\n")).toHaveLength(1);
});

test("applies --data before the name of the command", async () => {
	const { code, error } = await runLine("--data /nonexistent/early status", {
		PARLEY_DATA: "/nonexistent/variable",
	});
	expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining("/nonexistent/early") });
});

test.each(["trust", "task"])("`parley %s` without a subcommand prints only its help", async (line) => {
	const { code, out, error } = await runLine(line);
	expect({ code, out }).toEqual({ code: 2, out: "" });
	expect(error).toMatch(new RegExp(`^Usage: parley ${line} `));
	expect(error).not.toContain("outputHelp");
});

test("`parley help policy test` explains the subcommand", async () => {
	const { code, out } = await runLine("help policy test");
	expect({ code, usage: out.split("\n")[0] }).toEqual({
		code: 0,
		usage: "Usage: parley policy test [options] [command]",
	});
});

test.each([
	["sessions show", ["--json", "--url", "--data"]],
	["sessions search", ["--limit", "--json", "--url", "--data"]],
	["memories search", ["--scope", "--person", "--limit", "--json", "--url", "--data"]],
	["memories forget", ["--person", "--json", "--url", "--data"]],
	["budget set", ["--session", "--json", "--url", "--data"]],
	["discord setup", ["--config", "--url", "--data"]],
	["discord posts drop", ["--json", "--config", "--url", "--data"]],
	["policy test", undefined],
	["chat", undefined],
])("`parley %s --help` shows the options of its groups that it accepts", async (line, options) => {
	const { out } = await runLine(`${line} --help`);
	const further = out.split("Global Options:\n")[1]?.split("\n\n")[0];
	expect(further?.match(/^ +--[a-z]+/gm)?.map((option) => option.trim())).toEqual(options);
});

test("shows each command under one heading", async () => {
	const { out } = await runLine("");
	const headings = out.match(/^\S.*:$/gm);
	expect(headings).toEqual([
		"Options:",
		"Use the agent:",
		"Run the gateway:",
		"Models, agents and tools:",
		"Chats, people and permissions:",
	]);
});

test("prints the versions for a report", async () => {
	const { code, out } = await runLine("version --json");
	expect({ code, versions: parseJson(out) }).toEqual({
		code: 0,
		versions: {
			parley: expect.stringMatching(/^\d/),
			node: process.versions.node,
			system: expect.stringMatching(/\S/),
			installation: expect.objectContaining({ kind: "clone" }),
		},
	});
});

test("suggests only commands that exist", () => {
	const program = createProgram(new CapturedIo(), []);
	const names = program.commands.map((one) => one.name());
	for (const suggestion of programSuggestions()) expect(names).toContain(suggestion.split(" ")[0]);
});

test("a word for `list` suggests a command that exists, for each command with rows", async () => {
	const program = createProgram(new CapturedIo(), []);
	const suggested = program.commands.flatMap((one) => usualName("list", one) ?? []);
	expect(suggested).toContain("parley feedback");
	for (const suggestion of suggested) {
		const { code, out } = await runLine(`${suggestion.replace("parley ", "")} --help`);
		expect(code).toBe(0);
		expect(out).toContain(`Usage: ${suggestion} `);
	}
});

test("constructs only the named command", () => {
	const namesOf = (args: readonly string[]): string[] =>
		createProgram(new CapturedIo(), args).commands.map((command) => command.name());
	const all = namesOf(["help"]);
	expect(all).toContain("rpc");
	for (const name of all) if (name !== "help") expect(namesOf([name, "--help"])).toEqual([name]);
});

test.each(["", "--help", "help"])("`parley %s` explains the commands", async (line) => {
	const { code, out } = await runLine(line);
	expect(code).toBe(0);
	for (const name of [
		"start",
		"gateway",
		"chat",
		"ask",
		"usage",
		"budget",
		"agents",
		"models",
		"status",
		"stop",
	]) {
		expect(out).toMatch(new RegExp(`^  ${name} `, "m"));
	}
});

test.each(["help ask", "ask --help"])("`parley %s` explains one command", async (line) => {
	expect(await runLine(line)).toMatchObject({
		code: 0,
		out: expect.stringContaining("writes one JSON object per line instead"),
	});
});

test.each([
	["places --help", "Usage: parley channels [options] [command]"],
	["help places", "Usage: parley channels [options] [command]"],
	["places set --help", "Usage: parley channels set [options] <channel>"],
	["people withdraw --help", "Usage: parley people deny [options] <code>"],
	["people refuse --help", "Usage: parley people deny [options] <code>"],
	["people invite --help", "Usage: parley people pair [options]"],
	["trust confirm --help", "Usage: parley trust approve [options] <request>"],
	["trust refuse --help", "Usage: parley trust deny [options] <request>"],
])("`parley %s` accepts the old name of a command and shows the current one", async (line, usage) => {
	const { code, out } = await runLine(line);
	expect({ code, usage: out.split("\n")[0] }).toEqual({ code: 0, usage });
});

test.each(["--help", "people --help", "trust --help", "policy --help", "policy test --help"])(
	"`parley %s` shows no old name",
	async (line) => {
		const { out } = await runLine(line);
		expect(out).not.toMatch(/\bplaces|withdraw|refuse|invite|confirm|--place|\|/);
	},
);

test("suggests the current name of a command if an old name is similar", async () => {
	expect((await runLine("trust refus prompt_1")).error).toContain("did you mean deny?");
});

test("does not show hidden flags", async () => {
	expect((await runLine("help gateway")).out).not.toContain("test-hooks");
});

test("explains the offline model", async () => {
	expect(await runLine("help offline")).toMatchObject({ code: 0, out: expect.stringContaining("run:") });
});

test("prints the version", async () => {
	expect(await runLine("--version")).toEqual({
		code: 0,
		out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
		error: "",
	});
});
