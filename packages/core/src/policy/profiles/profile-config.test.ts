import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { readProfileConfig } from "./profile-config.ts";

test("every key reaches the profile", () => {
	const text = `
name = "Code reviewer"
model = "standard"
reasoning = "high"
tools = ["read_file", "search_files"]
tool_role = true
context_size = 32768

[sampling]
temperature = 0.2
top_p = 0.9
top_k = 40
repeat_penalty = 1.1
max_tokens = 4096

[provider]
endpoint = "http://127.0.0.1:8080"
http_timeout_seconds = 300
`;
	expect(readProfileConfig(text)).toEqual({
		title: "Code reviewer",
		model: "standard",
		reasoning: "high",
		tools: ["read_file", "search_files"],
		contextWindow: 32_768,
		sampling: { temperature: 0.2, topP: 0.9, topK: 40, repeatPenalty: 1.1, maxTokens: 4096 },
		endpoint: { url: "http://127.0.0.1:8080", timeoutMs: 300_000 },
	});
});

test.each(["http://10.0.0.5:8080", "http://10.0.0.5:8080/", "http://10.0.0.5:8080/v1/"])(
	"the address %s is the address of the server in any notation",
	(endpoint) => {
		expect(readProfileConfig(`[provider]\nendpoint = "${endpoint}"`)).toMatchObject({
			endpoint: { url: "http://10.0.0.5:8080" },
		});
	},
);

test("an empty file sets no value, and an empty list of tools disables all tools", () => {
	expect(readProfileConfig("")).toEqual({ sampling: {} });
	expect(readProfileConfig("tools = []")).toEqual({ sampling: {}, tools: [] });
});

test("the model is set in either field, and both must agree", () => {
	const both = 'model = "a.gguf"\n[provider]\nmodel = "a.gguf"';
	expect(readProfileConfig('model = "a.gguf"')).toMatchObject({ model: "a.gguf" });
	expect(readProfileConfig('[provider]\nmodel = "a.gguf"')).toMatchObject({ model: "a.gguf" });
	expect(readProfileConfig(both)).toMatchObject({ model: "a.gguf" });
	expect(() => readProfileConfig('model = "b"\n[provider]\nmodel = "a"')).toThrow(
		'model is "b", but provider.model is "a"',
	);
});

test.each([
	['modle = "x"', 'line 1: unknown key "modle": did you mean model? Allowed: name, description, model, '],
	[
		"[sampling]\ntemprature = 1",
		'line 2: unknown key "temprature" in [sampling]: did you mean temperature? Allowed: temperature, top_p',
	],
	["[sampling]\ntopp = 1", 'line 2: unknown key "topp" in [sampling]: did you mean top_p?'],
	["[samplin]\ntop_p = 1", 'line 1: unknown key "samplin": did you mean sampling?'],
	["[provider.tls]\nverify = false", 'unknown key "tls" in [provider]; allowed: endpoint, api, model'],
	["sampling = { zzz = 1 }", 'unknown key "zzz" in [sampling]; allowed'],
	['sampling.seed = "x"', 'unknown key "seed" in [sampling]; allowed'],
])("an unknown key is named with its line and a suggestion: %j", (text, words) => {
	expect(() => readProfileConfig(text)).toThrow(words);
});

test.each([
	["[sampling]\ntemperature = 3", "line 2: sampling.temperature is not valid; allowed: a number from 0 to 2"],
	["[sampling]\ntemperature = nan", "sampling.temperature is not"],
	["sampling = 1", "line 1: sampling is not valid; allowed: a table: [sampling]"],
	["provider = []", "line 1: provider is not valid; allowed: a table: [provider]"],
	["[sampling]\ntop_p = 1.1", "line 2: sampling.top_p is not valid; allowed: a number from 0 to 1"],
	["[sampling]\ntop_k = 1.5", "sampling.top_k is not valid; allowed: a whole number from 0 to"],
	["[sampling]\ntop_k = -1", "sampling.top_k is not"],
	["[sampling]\nrepeat_penalty = 0", "sampling.repeat_penalty is not"],
	["[sampling]\nmax_tokens = 0", "sampling.max_tokens is not valid; allowed: a whole number from 1"],
	['name = "a\\nb"', "line 1: name is not valid; allowed: a name of at most 100 characters in one line"],
	['name = " "', "name is not"],
	['reasoning = "much"', "reasoning is not valid; allowed: off, low, medium, high, xhigh, max"],
	['context_size = "big"', "context_size is not valid; allowed: a whole number from 1024"],
	['tools = "read_file"', "line 1: tools is not valid; allowed: a list of tool names"],
	["tools = [1]", "tools.0 is not valid; allowed: a tool name of at most 128 characters in one line"],
	["tool_role = 1", "tool_role is not valid; allowed: true or false"],
	["sampling = 1", "line 1: sampling is not"],
	['[provider]\nendpoint = "ftp://x"', "line 2: provider.endpoint is not valid; allowed: an http or https"],
	['[provider]\nendpoint = "http://me:secret@x"', "provider.endpoint is not valid"],
	['[provider]\nendpoint = "http://x/?key=1"', "provider.endpoint is not valid"],
	["[provider]\nhttp_timeout_seconds = 0", "provider.http_timeout_seconds is not"],
	["[provider]\nhttp_timeout_seconds = 9", "needs provider.endpoint"],
	['[provider]\napi = "messages"', "provider.api needs provider.endpoint"],
	[
		'[provider]\nendpoint = "http://x"\napi = "soap"',
		"line 3: provider.api is not valid; allowed: messages, chat-completions",
	],
])("a value that is not allowed is named: %j", (text, words) => {
	expect(() => readProfileConfig(text)).toThrow(ParleyError);
	expect(() => readProfileConfig(text)).toThrow(words);
});

test("a refusal does not repeat a value, which may be a secret", () => {
	expect(() => readProfileConfig('[provider]\nendpoint = "http://me:hunter2@x"')).not.toThrow("hunter2");
});

test.each([
	["name = ", "line 1, column"],
	['ok = 1\n"', "line 2, column"],
	["a = 1\na = 2", "line 2"],
	["__proto__ = 1", "line 1"],
	[`name = ${"[".repeat(5000)}`, "line 1"],
])("invalid TOML is reported with its line: %j", (text, words) => {
	expect(() => readProfileConfig(text)).toThrow(ParleyError);
	expect(() => readProfileConfig(text)).toThrow(words);
});

test("the API of a server can be Chat Completions", () => {
	expect(readProfileConfig('[provider]\nendpoint = "http://x/v1"\napi = "chat-completions"')).toMatchObject({
		endpoint: { url: "http://x", api: "chat-completions" },
	});
});
