import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { alreadyRunning, commandOf, modelLine, welcome } from "./start-for-person.ts";

const styles = createStyles(false);
const command = "parley";
const gateway = {
	urls: ["http://127.0.0.1:7777", "http://127.0.0.1:8080"],
	provider: "offline",
	model: "offline",
	serverHost: undefined,
	providerReason: "no key" as const,
	dataDirectory: "/home/ada/.local/share/parley",
	resumed: 0,
	reach: {
		auth: "local" as const,
		beyond: false,
		tls: false,
		publicUrl: undefined,
		insecureLan: false,
		localTrust: true,
		proxies: undefined,
	},
};

const context = { defaultData: gateway.dataDirectory, styles, command };

test("prints the model, the data directory and the next commands", () => {
	expect(welcome(gateway, context)).toBe(`
  model    offline (built in, needs no API key)
  data     /home/ada/.local/share/parley
  clients  ws://127.0.0.1:7777/api/ws (Ozzie)
           Ozzie clients connect with --gateway ws://127.0.0.1:7777/api/ws; start with --ozzie to connect without this option
           127.0.0.1:7777 (gRPC: kontekst, roz)

  In another terminal:
    parley chat                   open a chat
    parley ask "run: echo hi" -y  send one message
    parley help offline           list the commands of the offline model

  Press Ctrl-C to stop. Sessions and unfinished work are kept.

`);
});

test("prints that Ozzie clients need no option on their default port", () => {
	const urls = [...gateway.urls, "http://127.0.0.1:18420"];
	expect(welcome({ ...gateway, urls }, context)).toContain(
		"\n           Ozzie clients connect without options: ozzie ask, ozzie tui\n",
	);
});

test.each([
	[{ auth: "token" as const }, "from this machine only", "required from all clients"],
	[
		{ auth: "none" as const },
		"from this machine only",
		"not required: every program on this machine has your permissions",
	],
	[{ beyond: true, tls: true }, "by other machines, over TLS", "required from all clients"],
	[{ beyond: true, insecureLan: true }, "by other machines WITHOUT TLS", "required from all clients"],
	[
		{ beyond: true, proxies: { has: () => true } },
		"through trusted proxies only",
		"required from all clients",
	],
	[
		{ publicUrl: "https://a.test" },
		"by other machines, through a proxy on this machine",
		"required from all clients",
	],
])("prints the access with %j: %s", (facts, reached, token) => {
	const text = welcome({ ...gateway, reach: { ...gateway.reach, localTrust: false, ...facts } }, context);
	expect(text).toMatch(new RegExp(`  reached  .*${reached}.*\n  token    ${token}`));
	expect(text).toContain("publicUrl" in facts ? "wss://a.test/api/ws" : "ws://127.0.0.1:7777/api/ws");
	expect(text).toContain("publicUrl" in facts ? " a.test:443 (gRPC" : " 127.0.0.1:7777 (gRPC");
});

test("prints commands with --data for another data directory", () => {
	const elsewhere = { ...gateway, dataDirectory: "/tmp/ada's data" };
	expect(welcome(elsewhere, context)).toContain("chat --data '/tmp/ada'\\''s data' ");
	const remote = {
		...elsewhere,
		dataDirectory: "/tmp/ada",
		reach: { ...gateway.reach, beyond: true, localTrust: false },
	};
	expect(welcome(remote, context)).toContain("`parley token --data /tmp/ada`");
});

const claude = {
	...gateway,
	provider: "anthropic",
	model: "claude-sonnet-5-5",
	providerReason: "key" as const,
};

test("prints the recipient of messages and the resumed work", () => {
	const text = welcome({ ...claude, resumed: 2 }, context);
	expect(text).toBe(`
  model    claude-sonnet-5-5
  sends    your messages and tool results to anthropic
  data     /home/ada/.local/share/parley
  clients  ws://127.0.0.1:7777/api/ws (Ozzie)
           Ozzie clients connect with --gateway ws://127.0.0.1:7777/api/ws; start with --ozzie to connect without this option
           127.0.0.1:7777 (gRPC: kontekst, roz)
  resumed  unfinished work in 2 sessions

  In another terminal:
    parley chat                              open a chat
    parley ask "What is in this directory?"  send one message
    parley usage                             show tokens and costs

  Press Ctrl-C to stop. Sessions and unfinished work are kept.

`);
});

test("prints the host of a custom server", () => {
	const local = { ...claude, model: "llama", serverHost: "127.0.0.1:8080" };
	expect(welcome(local, { ...context, defaultData: "" })).toContain("tool results to 127.0.0.1:8080\n");
});

test.each([
	[gateway, "model: offline (no API key): set ANTHROPIC_API_KEY to use Claude"],
	[
		{ ...gateway, providerReason: "configured" as const },
		"model: offline: the provider offline is configured",
	],
	[claude, "model: claude-sonnet-5-5 (anthropic): ANTHROPIC_API_KEY is set"],
	[
		{ ...claude, model: "llama\u001b", serverHost: "127.0.0.1:8080", providerReason: "base-url" as const },
		"model: llama\\u{1b} (anthropic API at 127.0.0.1:8080): a base URL is set",
	],
])("prints the model and the reason in one line: %#", (answering, line) => {
	expect(modelLine(answering)).toBe(line);
});

test("prints the running gateway at a second start", () => {
	const text = alreadyRunning({ pid: 42, urls: gateway.urls }, { ...context, data: "/data" });
	expect(text).toContain(
		"process 42, at http://127.0.0.1:7777, http://127.0.0.1:8080, with the data in /data",
	);
	expect(text).toContain("parley stop --data /data");
});

test.each([
	["clone", {}, "parley"],
	["global", {}, "parley"],
	["project", { npm_config_package: "./other.tgz" }, "parley"],
	["npx", { npm_config_package: "./my parley.tgz" }, "npx --package './my parley.tgz' parley"],
	["npx", {}, "parley"],
] as const)("for the installation %s with %o, the printed command is %s", (kind, environment, words) => {
	expect(commandOf(kind, environment)).toBe(words);
});

test("the printed text uses the name of an installed command, without npx", () => {
	const text = welcome(gateway, { ...context, command: "parley" });
	expect(text).toContain("  In another terminal:\n    parley chat  ");
	expect(text).not.toContain("npx");
	const second = alreadyRunning(
		{ pid: 42, urls: gateway.urls },
		{ ...context, data: "/data", command: "parley" },
	);
	expect(second).toContain(
		"Open a chat with `parley chat --data /data`, or stop it with `parley stop --data /data`.",
	);
});

test("the line that lets the shell find the command comes first", () => {
	const shellLine = 'export PATH=/home/ada/parley/bin:"$PATH"';
	expect(welcome(gateway, { ...context, shellLine })).toMatch(
		/In another terminal:\n {4}export PATH=\/home\/ada\/parley\/bin:"\$PATH" {2}let the shell find parley\n {4}parley chat {2}/,
	);
});
