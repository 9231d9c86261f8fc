import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defined } from "@parley/base";
import { expect, test } from "vitest";
import { type Config, loadConfig } from "./load.ts";
import type { ConfigFlags } from "./sources.ts";

interface Given {
	readonly flags?: ConfigFlags;
	readonly environment?: Readonly<Record<string, string>>;
	readonly file?: object;
}

function chosen({ flags = {}, environment = {}, file }: Given): Partial<Config> {
	using data = mkdtempDisposableSync(join(tmpdir(), "parley-provider-"));
	if (file) writeFileSync(join(data.path, "parley.config.json"), JSON.stringify(file));
	const { provider, providerReason, apiKey, baseUrl } = loadConfig({
		flags,
		environment,
		cwd: data.path,
		defaultData: data.path,
	});
	return {
		provider,
		...defined({ providerReason, apiKey, baseUrl }),
	};
}

const key = "sk-ant-real-0123456789";
const ANTHROPIC_API_KEY = key;
const server = "http://127.0.0.1:8080";

test.each<[string, Given, Partial<Config>]>([
	["nothing", {}, { provider: "offline", providerReason: "no key" }],
	[
		"an empty key",
		{ environment: { ANTHROPIC_API_KEY: " \n" } },
		{ provider: "offline", providerReason: "no key" },
	],
	[
		"a key",
		{ environment: { ANTHROPIC_API_KEY: `${key}\n` } },
		{ provider: "anthropic", providerReason: "key", apiKey: key },
	],
	[
		"a local model server, which gets no key of the gateway",
		{ environment: { ANTHROPIC_API_KEY }, file: { llama: {} } },
		{ provider: "anthropic", providerReason: "llama", baseUrl: server },
	],
	[
		"a local model server with its own key",
		{
			environment: { ANTHROPIC_API_KEY, LLAMA_API_KEY: "own" },
			file: { provider: "anthropic", llama: { endpoint: "http://10.0.0.2:9000/v1/" } },
		},
		{ provider: "anthropic", providerReason: "configured", apiKey: "own", baseUrl: "http://10.0.0.2:9000" },
	],
	[
		"the offline assistant beside a local model server",
		{ file: { provider: "offline", llama: {} } },
		{ provider: "offline", providerReason: "configured" },
	],
	[
		"a base URL",
		{ flags: { baseUrl: `${server}/v1/` } },
		{ provider: "anthropic", providerReason: "base-url", baseUrl: server },
	],
	[
		"a key and a base URL",
		{ environment: { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL: `${server}/llm` } },
		{ provider: "anthropic", providerReason: "base-url", apiKey: key, baseUrl: `${server}/llm` },
	],
	[
		"a key and the vendor's own address",
		{ environment: { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL: "https://api.anthropic.com/" } },
		{ provider: "anthropic", providerReason: "key", apiKey: key },
	],
	[
		"the vendor's own address alone",
		{ environment: { ANTHROPIC_BASE_URL: "https://api.anthropic.com" } },
		{ provider: "offline", providerReason: "no key" },
	],
	[
		"auto, in words",
		{ flags: { provider: "auto" }, environment: { ANTHROPIC_API_KEY } },
		{ provider: "anthropic", providerReason: "key", apiKey: key },
	],
	[
		"offline, in words, beside a key",
		{ flags: { provider: "offline" }, environment: { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL: server } },
		{ provider: "offline", providerReason: "configured", apiKey: key },
	],
	[
		"anthropic, in words",
		{ file: { provider: "anthropic" }, environment: { ANTHROPIC_API_KEY } },
		{ provider: "anthropic", providerReason: "configured", apiKey: key },
	],
])("%s decides the provider", (_, given, choice) => {
	expect(chosen(given)).toEqual(choice);
});

test("a flag precedes Parley's variable, then the provider's variable, then the file", () => {
	const file = { baseUrl: "http://file.local" };
	const ANTHROPIC_BASE_URL = "http://theirs.local";
	const PARLEY_BASE_URL = "http://ours.local";
	const baseUrl = (given: Given) => chosen(given).baseUrl;
	expect(baseUrl({ file })).toBe("http://file.local");
	expect(baseUrl({ file, environment: { ANTHROPIC_BASE_URL } })).toBe("http://theirs.local");
	expect(baseUrl({ file, environment: { ANTHROPIC_BASE_URL, PARLEY_BASE_URL } })).toBe("http://ours.local");
	const flags = { baseUrl: "http://flag.local" };
	expect(baseUrl({ file, flags, environment: { ANTHROPIC_BASE_URL, PARLEY_BASE_URL } })).toBe(
		"http://flag.local",
	);
});

test("anthropic without key and server fails with advice", () => {
	const given = /^provider anthropic needs a key: set ANTHROPIC_API_KEY.*--base-url.*--provider offline/;
	expect(() => chosen({ flags: { provider: "anthropic" } })).toThrow(given);
	expect(() => chosen({ file: { provider: "anthropic" }, environment: { ANTHROPIC_API_KEY: "" } })).toThrow(
		given,
	);
});

test.each([
	...["undefined", "null", "changeme", "change-me", "your-api-key", "YOUR_KEY_HERE", "<key>", "$KEY"],
	...["***", "dummy"],
])("%j is not a key", (ANTHROPIC_API_KEY) => {
	expect(() => chosen({ environment: { ANTHROPIC_API_KEY } })).toThrow(
		expect.objectContaining({
			code: "invalid_argument",
			message: expect.stringMatching(
				/^ANTHROPIC_API_KEY is ".*", which is not a key; set it to a valid key, or unset it/,
			),
		}),
	);
	expect(chosen({ flags: { provider: "offline" }, environment: { ANTHROPIC_API_KEY } })).toMatchObject({
		provider: "offline",
	});
});

test.each([
	...["sk-ant-...", "sk-ant-xxxx", "sk-ant-api03-q7Fw...", "your-sk-ant-api03-q7Fw"],
	...["your0123456789abcdefghij", "q7Fw0123456789abcdefgh..."],
])("%j is not a key, and is hidden because a part of it may be one", (ANTHROPIC_API_KEY) => {
	expect(() => chosen({ environment: { ANTHROPIC_API_KEY } })).toThrow(
		expect.objectContaining({
			code: "invalid_argument",
			message: expect.stringMatching(
				/^ANTHROPIC_API_KEY is a placeholder, which is not a key; (?!.*(?:sk-|q7Fw|0123))/,
			),
		}),
	);
});

test("another server may accept any key", () => {
	const given = { flags: { baseUrl: server }, environment: { ANTHROPIC_API_KEY: "dummy" } };
	expect(chosen(given)).toMatchObject({ apiKey: "dummy", baseUrl: server });
});

test.each(["sk-ant-one two", "sk-ant-one\ntwo", "sk-ant-ключ"])(
	"a key that cannot be sent is refused, and not shown",
	(ANTHROPIC_API_KEY) => {
		const refusal = expect.objectContaining({
			message: expect.stringMatching(
				/^ANTHROPIC_API_KEY contains characters that a key cannot have(?!.*sk-ant)/s,
			),
		});
		expect(() => chosen({ environment: { ANTHROPIC_API_KEY } })).toThrow(refusal);
		expect(() => chosen({ flags: { baseUrl: server }, environment: { ANTHROPIC_API_KEY } })).toThrow(refusal);
	},
);

test.each([
	...["127.0.0.1:8080", "ftp://127.0.0.1", "http://", "file:///etc/passwd", "javascript:alert(1)"],
	...["http://127.0.0.1/?key=1", "http://127.0.0.1?", "http://127.0.0.1/#top", "http://user@127.0.0.1"],
])("%s is not a base URL", (baseUrl) => {
	expect(() => chosen({ flags: { baseUrl } })).toThrow(
		/is not allowed for baseUrl \(--base-url\); allowed: an http/,
	);
});

test("a refused address does not show the password in it", () => {
	const baseUrl = "https://me:hunter2@llm.example/v1?token=hunter3";
	expect(() => chosen({ flags: { baseUrl } })).toThrow(
		/^"https:\/\/…@llm.example\/v1\?…" is not allowed(?!.*hunter)/,
	);
});

test.each([
	...["http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]:1", "http://localhost:1", "http://10.1.2.3"],
	...["http://172.31.255.1", "http://192.168.0.9:11434", "http://169.254.1.1", "http://100.100.1.1"],
	...[
		"http://[fd00::1]",
		"http://[fe80::1]",
		"http://ollama:11434",
		"http://nas.local",
		"http://llm.internal",
	],
	...["http://box.lan", "http://box.home.arpa", "https://llm.example", "https://203.0.113.9"],
])("a key may go to %s", (baseUrl) => {
	expect(chosen({ flags: { baseUrl }, environment: { ANTHROPIC_API_KEY } })).toMatchObject({ baseUrl });
});

test.each([
	...[
		"http://llm.example",
		"http://203.0.113.9",
		"http://172.32.0.1",
		"http://[2001:db8::1]",
		"http://100.128.0.1",
	],
	...["http://127.evil.example", "http://localhost.evil.example", "http://internal.example"],
])("a key must not be sent to %s without encryption", (ANTHROPIC_BASE_URL) => {
	const refusal =
		/is not allowed for baseUrl \(ANTHROPIC_BASE_URL\): the key would be sent over the internet.*allowed: https/;
	expect(() => chosen({ environment: { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL } })).toThrow(refusal);
	expect(chosen({ environment: { ANTHROPIC_BASE_URL } })).toMatchObject({ baseUrl: ANTHROPIC_BASE_URL });
});
