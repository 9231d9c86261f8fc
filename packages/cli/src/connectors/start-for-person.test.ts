import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { alreadyRunning, answersLine, welcome } from "./start-for-person.ts";

const plain = createStyles(false);
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

test("a person is told who answers, where the data is, and what to do next", () => {
	expect(welcome(gateway, gateway.dataDirectory, plain)).toBe(`
  answers  offline, a small built-in assistant that needs no key
  data     /home/ada/.local/share/parley
  clients  ws://127.0.0.1:7777/api/ws (Ozzie)
           your Ozzie client connects with --gateway ws://127.0.0.1:7777/api/ws, or without it after a start with --ozzie
           127.0.0.1:7777 (gRPC: kontekst, roz)

  In another terminal, in this directory:
    npx --no parley chat                   talk to it
    npx --no parley ask "run: echo hi" -y  ask once
    npx --no parley help offline           what the offline assistant understands

  Ctrl-C stops it; conversations and unfinished work are kept.

`);
});

test("with the port of Ozzie clients it is said that they need no option", () => {
	const urls = [...gateway.urls, "http://127.0.0.1:18420"];
	expect(welcome({ ...gateway, urls }, gateway.dataDirectory, plain)).toContain(
		"\n           your Ozzie client connects without options: ozzie ask, ozzie tui\n",
	);
});

test.each([
	[{ auth: "token" as const }, "by this machine alone", "everybody needs it"],
	[
		{ auth: "none" as const },
		"by this machine alone",
		"nobody needs it: every program on this machine is you",
	],
	[{ beyond: true, tls: true }, "by other machines, over TLS", "everybody needs it"],
	[{ beyond: true, insecureLan: true }, "by other machines WITHOUT TLS", "everybody needs it"],
	[{ beyond: true, proxies: { has: () => true } }, "through trusted proxies alone", "everybody needs it"],
	[{ publicUrl: "https://a.test" }, "by other machines, through a proxy here", "everybody needs it"],
])("with %j it is said who comes: %s", (facts, reached, token) => {
	const text = welcome(
		{ ...gateway, reach: { ...gateway.reach, localTrust: false, ...facts } },
		gateway.dataDirectory,
		plain,
	);
	expect(text).toMatch(new RegExp(`  reached  .*${reached}.*\n  token    ${token}`));
	expect(text).toContain("publicUrl" in facts ? "wss://a.test/api/ws" : "ws://127.0.0.1:7777/api/ws");
	expect(text).toContain("publicUrl" in facts ? " a.test:443 (gRPC" : " 127.0.0.1:7777 (gRPC");
});

test("commands name a data directory that they would not find by themselves", () => {
	const elsewhere = { ...gateway, dataDirectory: "/tmp/ada's data" };
	expect(welcome(elsewhere, gateway.dataDirectory, plain)).toContain("chat --data '/tmp/ada'\\''s data' ");
	const remote = {
		...elsewhere,
		dataDirectory: "/tmp/ada",
		reach: { ...gateway.reach, beyond: true, localTrust: false },
	};
	expect(welcome(remote, gateway.dataDirectory, plain)).toContain("`npx --no parley token --data /tmp/ada`");
});

const claude = {
	...gateway,
	provider: "anthropic",
	model: "claude-sonnet-5-5",
	providerReason: "key" as const,
};

test("with a model of a provider it is said where words go, and what goes on", () => {
	const text = welcome({ ...claude, resumed: 2 }, gateway.dataDirectory, plain);
	expect(text).toBe(`
  answers  claude-sonnet-5-5
  sends    what you say and what its tools find to anthropic
  data     /home/ada/.local/share/parley
  clients  ws://127.0.0.1:7777/api/ws (Ozzie)
           your Ozzie client connects with --gateway ws://127.0.0.1:7777/api/ws, or without it after a start with --ozzie
           127.0.0.1:7777 (gRPC: kontekst, roz)
  resumed  unfinished work in 2 conversations

  In another terminal, in this directory:
    npx --no parley chat                              talk to it
    npx --no parley ask "What is in this directory?"  ask once
    npx --no parley usage                             what it has used, and what that cost

  Ctrl-C stops it; conversations and unfinished work are kept.

`);
});

test("a server of one's own is named", () => {
	const local = { ...claude, model: "llama", serverHost: "127.0.0.1:8080" };
	expect(welcome(local, "", plain)).toContain("what its tools find to 127.0.0.1:8080\n");
});

test.each([
	[gateway, "parley answers offline (no key): set ANTHROPIC_API_KEY for Claude"],
	[
		{ ...gateway, providerReason: "configured" as const },
		"parley answers offline: the provider offline is configured",
	],
	[claude, "parley answers with claude-sonnet-5-5 (anthropic): ANTHROPIC_API_KEY is set"],
	[
		{ ...claude, model: "llama\u001b", serverHost: "127.0.0.1:8080", providerReason: "base-url" as const },
		"parley answers with llama\\u{1b} (anthropic API at 127.0.0.1:8080): a base URL is set",
	],
])("who answers and why stands in one line: %#", (answering, line) => {
	expect(answersLine(answering)).toBe(line);
});

test("a second start tells where the first one is", () => {
	const text = alreadyRunning({ pid: 42, urls: gateway.urls }, "/data", gateway.dataDirectory);
	expect(text).toContain(
		"process 42, at http://127.0.0.1:7777, http://127.0.0.1:8080, with the data in /data",
	);
	expect(text).toContain("npx --no parley stop --data /data");
});
