import {
	chmodSync,
	chownSync,
	lchownSync,
	mkdirSync,
	mkdtempDisposableSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defined } from "@parley/base";
import { expect, onTestFinished, test, vi } from "vitest";
import { refuseForeignWriters } from "../data-directory/foreign-writers.ts";
import { type Config, loadConfig } from "./load.ts";
import type { ConfigSources } from "./sources.ts";

function setUp() {
	const directory = mkdtempDisposableSync(join(tmpdir(), "parley-config-"));
	for (const name of ["data", "work", "other"]) mkdirSync(join(directory.path, name));
	const at = (...names: string[]): string => join(directory.path, ...names);
	return {
		at,
		write: (name: string, text: string) => writeFileSync(at(name), text),
		load: (sources: Partial<ConfigSources> = {}): Config =>
			loadConfig({ flags: {}, environment: {}, cwd: directory.path, defaultData: at("data"), ...sources }),
		[Symbol.dispose]: () => directory.remove(),
	};
}

function refusal(code: string, ...parts: readonly string[]): unknown {
	const escaped = parts.map((part) => RegExp.escape(part)).join(".*");
	return expect.objectContaining({ code, message: expect.stringMatching(new RegExp(escaped)) });
}

const usualChat = {
	allow: [],
	deny: [],
	tenants: {},
	places: {},
	joinMs: 2000,
	welcome: { posts: true, prompts: [] },
};

test("without any source there are default values, and no root", () => {
	using place = setUp();
	expect(place.load()).toEqual({
		listen: [{ host: "127.0.0.1", port: 7_777 }],
		data: place.at("data"),
		root: [],
		provider: "offline",
		providerReason: "no key",
		auth: "local",
		logLevel: "info",
		allowedHosts: [],
		chat: usualChat,
	});
});

test("flags precede variables, variables precede the file, and the file precedes the defaults", () => {
	using place = setUp();
	place.write(
		"data/parley.config.json",
		`{
			// all settings of a file except data
			"$schema": "./schema.json",
			"listen": ["127.0.0.1:1"], "root": ["../work"], "provider": "offline", "model": "file",
			"auth": "token", "logLevel": "warn", "systemPromptFile": "prompt.md", "allowedHosts": ["a.test", "b.test:80"],
			"reasoning": "low", "models": { "fallback": ["fast"], "file": "table.json" },
			"budgets": { "day": 0.1, "session": { "month": 20 } }, "maxModelCalls": 200, "titles": false,
			"files": { "maxBytes": 1000, "keepDays": 2 }, "tasks": { "limit": 2, "minutes": 5, "modelCalls": 9 }, "egress": { "allow": ["a.test", "*.b.test"] },
			"commandUnixSockets": true,
		}`,
	);
	place.write("data/prompt.md", "You are terse.");
	place.write("data/table.json", "[]");
	const file: Config = {
		listen: [{ host: "127.0.0.1", port: 1 }],
		data: place.at("data"),
		root: [place.at("work")],
		provider: "offline",
		providerReason: "configured",
		model: "file",
		reasoning: "low",
		fallback: ["fast"],
		modelsFile: place.at("data", "table.json"),
		maxModelCalls: 200,
		titles: false,
		origins: {
			model: `${place.at("data", "parley.config.json")}:4:84`,
			fallback: [`${place.at("data", "parley.config.json")}:6:49`],
		},
		budgets: { gateway: { day: 100_000_000 }, session: { month: 20_000_000_000 } },
		files: { maxBytes: 1000, retentionMs: 172_800_000 },
		tasks: { limit: 2, workingMs: 300_000, modelCalls: 9 },
		egress: ["a.test", "*.b.test"],
		commandUnixSockets: true,
		auth: "token",
		logLevel: "warn",
		systemPromptFile: place.at("data", "prompt.md"),
		allowedHosts: ["a.test", "b.test:80"],
		chat: usualChat,
	};
	expect(place.load()).toEqual(file);

	const environment = {
		PARLEY_LISTEN: "127.0.0.1:2, [::1]:2",
		PARLEY_ROOT: "other:work",
		PARLEY_PROVIDER: "offline",
		PARLEY_MODEL: "variable",
		PARLEY_REASONING: "medium",
		PARLEY_MAX_MODEL_CALLS: "30",
		PARLEY_AUTH: "none",
		PARLEY_EGRESS_ALLOW: "c.test, *.d.test",
		PARLEY_LOG_LEVEL: "error",
	};
	const variables: Config = {
		...file,
		listen: [
			{ host: "127.0.0.1", port: 2 },
			{ host: "::1", port: 2 },
		],
		root: [place.at("other"), place.at("work")],
		model: "variable",
		origins: { ...file.origins, model: "PARLEY_MODEL" },
		reasoning: "medium",
		maxModelCalls: 30,
		egress: ["c.test", "*.d.test"],
		auth: "none",
		logLevel: "error",
	};
	expect(place.load({ environment })).toEqual(variables);

	const flags = {
		listen: ["localhost:3"],
		root: [place.at("work")],
		provider: "offline",
		model: "flag",
		reasoning: "high",
		auth: "local",
		logLevel: "debug",
	};
	expect(place.load({ environment, flags })).toEqual({
		...variables,
		listen: [{ host: "localhost", port: 3 }],
		root: [place.at("work")],
		model: "flag",
		origins: { ...file.origins, model: "--model" },
		reasoning: "high",
		auth: "local",
		logLevel: "debug",
	});
});

test("the data directory is set by a flag, a variable, a named file, or the default, in this order", () => {
	using place = setUp();
	place.write("named.json", '{ "data": "other" }');
	const flags = { data: "work", config: undefined };
	const environment = { PARLEY_DATA: place.at("other") };
	expect(place.load({ flags, environment }).data).toBe(place.at("work"));
	expect(place.load({ environment }).data).toBe(place.at("other"));
	expect(place.load({ flags: { config: "named.json" } }).data).toBe(place.at("other"));
	expect(place.load({ flags: { config: "named.json", data: "work" } }).data).toBe(place.at("work"));
	expect(place.load({ environment: { PARLEY_DATA: "" } }).data).toBe(place.at("data"));
});

test("a named file replaces the one in the data directory, and a flag precedes a variable", () => {
	using place = setUp();
	place.write("data/parley.config.json", '{ "model": "data" }');
	place.write("one.json", '{ "model": "one" }');
	place.write("two.json", '{ "model": "two" }');
	const environment = { PARLEY_CONFIG: "two.json" };
	expect(place.load().model).toBe("data");
	expect(place.load({ environment }).model).toBe("two");
	expect(place.load({ environment, flags: { config: "one.json" } }).model).toBe("one");
	expect(place.load({ flags: { data: "work" } }).model).toBeUndefined();
});

test("the file of the data directory cannot move the data directory", () => {
	using place = setUp();
	place.write("data/parley.config.json", '{\n  "data": "elsewhere"\n}');
	expect(() => place.load()).toThrow(
		refusal("invalid_argument", "parley.config.json:2:11", "--data", "--config"),
	);
});

test("people and channels of chat platforms are configured in the file, in its own units", () => {
	using place = setUp();
	place.write(
		"data/parley.config.json",
		`{ "chat": {
			"people": {
				"allow": [{ "platform": "discord", "tenant": "1", "platformRole": "7", "as": "member" }],
				"deny": [{ "user": "9" }],
			},
			"tenants": { "discord": ["1"] },
			"channels": {
				"discord:1:2": { "root": "../other", "tools": ["read_file"], "budgetUsd": 0.5, "approvalHours": 2, "approveIn": ["slack:T:C"] },
				"discord:1": { "mention": "always", "sessions": "person", "quotaBytes": 5 },
			},
			"approvalNotices": {
				"discord:1:2": { "groups": [{ "people": ["discord:1:5"], "by": ["direct", "mention"] }, {}], "remindMinutes": 30 },
			},
		} }`,
	);
	expect(place.load().chat).toEqual({
		allow: [{ platform: "discord", tenant: "1", platformRole: "7", as: "member" }],
		deny: [{ user: "9" }],
		tenants: { discord: ["1"] },
		places: {
			"discord:1:2": {
				root: place.at("other"),
				tools: ["read_file"],
				approveIn: ["slack:T:C"],
				budget: 500_000_000,
				approvalMs: 7_200_000,
			},
			"discord:1": { mention: "always", sessions: "person", quotaBytes: 5 },
		},
		joinMs: 2000,
		welcome: { posts: true, prompts: [] },
		notices: {
			"discord:1:2": {
				groups: [{ people: ["discord:1:5"], by: ["direct", "mention"] }, { by: ["mention"] }],
				remindMs: 1_800_000,
				escalateMs: 3_600_000,
			},
		},
	});
});

test("the welcome can be turned off and has its own prompts", () => {
	using place = setUp();
	expect(place.load().chat?.welcome).toEqual({ posts: true, prompts: [] });
	place.write(
		"data/parley.config.json",
		'{ "chat": { "welcome": { "posts": false, "prompts": ["Say hi"] } } }',
	);
	expect(place.load().chat?.welcome).toEqual({ posts: false, prompts: ["Say hi"] });
});

test("reads channel settings under their old name, and prefers the current name", () => {
	using place = setUp();
	place.write(
		"data/parley.config.json",
		`{ "chat": {
			"places": { "discord:1:2": { "root": "../other" }, "discord:1:3": { "mention": "always" } },
			"channels": { "discord:1:3": { "sessions": "person" } },
		} }`,
	);
	expect(place.load().chat?.places).toEqual({
		"discord:1:2": { root: place.at("other") },
		"discord:1:3": { sessions: "person" },
	});
	place.write(
		"data/parley.config.json",
		'{ "chat": { "places": { "discord:g:c": { "root": "nowhere" } } } }',
	);
	expect(() => place.load()).toThrow(refusal("invalid_argument", "chat.places.discord:g:c.root (", "exists"));
});

test("the addresses of Slack are configured in the file", () => {
	using place = setUp();
	place.write(
		"data/parley.config.json",
		'{ "slack": { "apiUrl": "http://127.0.0.1:9/api", "listen": "127.0.0.1:3000" } }',
	);
	expect(place.load().slack).toEqual({
		apiUrl: "http://127.0.0.1:9/api/",
		listen: { host: "127.0.0.1", port: 3000 },
	});
});

test("a named file must exist and be a file", () => {
	using place = setUp();
	expect(() => place.load({ flags: { config: "absent.json" } })).toThrow(
		refusal("invalid_argument", place.at("absent.json"), "ENOENT", "--config"),
	);
	expect(() => place.load({ environment: { PARLEY_CONFIG: "work" } })).toThrow(
		refusal("invalid_argument", place.at("work"), "EISDIR"),
	);
});

const hostPort = "HOST:PORT, for example";

test.each([
	[{ listen: ["7777"] }, ['"7777" is not allowed for listen (--listen)', hostPort]],
	[{ listen: ["127.0.0.1:1", "127.0.0.1:99999"] }, ['"127.0.0.1:99999"', "(--listen)", hostPort]],
	[{ listen: [] }, ["[]", "(--listen)", "at least one HOST:PORT"]],
	[{ listen: ["127.0.0.1:1", "127.0.0.1:1"] }, ['"127.0.0.1:1"', "(--listen)", "each address only once"]],
	[{ data: "" }, ['""', "data (--data)", "a directory"]],
	[{ root: ["work", "nowhere"] }, ["nowhere", "root (--root)", "a directory that exists"]],
	[{ root: ["data/file"] }, ["data/file", "root (--root)", "a directory that exists"]],
	[{ provider: "acme" }, ['"acme"', "provider (--provider)", "auto, anthropic, offline"]],
	[{ baseUrl: "" }, ['""', "baseUrl (--base-url)", "http://127.0.0.1:8080"]],
	[{ reasoning: "hard" }, ['"hard"', "reasoning (--reasoning)", "off, low, medium, high"]],
	[{ model: "" }, ['""', "model (--model)", "the name of a model"]],
	[{ auth: "password" }, ['"password"', "auth (--auth)", "local, token, none"]],
	[{ sandbox: "bwrap" }, ['"bwrap"', "sandbox (--sandbox)", "required, preferred, off, container"]],
	[{ logLevel: "loud" }, ['"loud"', "logLevel (--log-level)", "debug, info, warn, error, silent"]],
])("the flags %j are refused with their name, the value and the allowed values", (flags, parts) => {
	using place = setUp();
	place.write("data/file", "");
	expect(() => place.load({ flags })).toThrow(refusal("invalid_argument", ...parts));
});

test.each([
	[{ PARLEY_LISTEN: "127.0.0.1:1,,127.0.0.1:2" }, ['""', "(PARLEY_LISTEN)", hostPort]],
	[{ PARLEY_ROOT: "work:nowhere" }, ["nowhere", "(PARLEY_ROOT)", "a directory that exists"]],
	[{ PARLEY_PROVIDER: "acme" }, ['"acme"', "(PARLEY_PROVIDER)", "offline"]],
	[{ PARLEY_MAX_MODEL_CALLS: "many" }, ['"many"', "(PARLEY_MAX_MODEL_CALLS)", "a whole number from 1"]],
	[{ PARLEY_MAX_MODEL_CALLS: "1001" }, ["1001", "(PARLEY_MAX_MODEL_CALLS)", "a whole number from 1"]],
	[{ PARLEY_EGRESS_ALLOW: "a.test,*" }, ['"*"', "(PARLEY_EGRESS_ALLOW)", "a host name such as"]],
	[{ PARLEY_AUTH: "Local" }, ['"Local"', "(PARLEY_AUTH)", "local, token, none"]],
	[{ PARLEY_LOG_LEVEL: "trace" }, ['"trace"', "(PARLEY_LOG_LEVEL)", "debug, info"]],
])("the variables %j are refused with their name, even if a flag precedes them", (environment, parts) => {
	using place = setUp();
	const flags = {
		listen: ["127.0.0.1:1"],
		root: ["work"],
		provider: "offline",
		auth: "local",
		logLevel: "info",
	};
	expect(() => place.load({ flags, environment })).toThrow(refusal("invalid_argument", ...parts));
});

test.each([
	['{ "listen": "127.0.0.1:1" }', ['"127.0.0.1:1"', ":1:13)", "a list, each HOST:PORT"]],
	['{\n "listen": ["127.0.0.1:1",\n  5] }', ["5 is not allowed for listen", ":3:3)", hostPort]],
	['{ "listen": [] }', [":1:13)", "at least one HOST:PORT"]],
	['{ "auth": null }', ["null", ":1:11)", "local, token, none"]],
	['{ "root": ["nowhere"] }', ["nowhere", ":1:12)", "a directory that exists"]],
	['{ "policyFile": "absent.jsonc" }', ["absent.jsonc", ":1:17)", "a file that exists"]],
	['{ "systemPromptFile": "absent.md" }', ["absent.md", ":1:23)", "a file that exists"]],
	['{ "allowedHosts": ["http://a.test"] }', ['"http://a.test"', ":1:20)", "a host name or address"]],
	['{ "auth": {"mode": "token"} }', ['{"mode":"token"}', ":1:11)", "local, token, none"]],
	[
		'{ "maxModelCalls": 0 }',
		["0 is not allowed for maxModelCalls", ":1:20)", "a whole number from 1 to 1000"],
	],
	['{ "maxModelCalls": 1.5 }', ["1.5 is not allowed for maxModelCalls"]],
	['{ "models": [] }', ["[] is not allowed for models", ":1:13)"]],
	['{ "models": { "fallback":\n"fast" } }', ['"fast" is not allowed for models.fallback', ":2:1)", "a list"]],
	['{ "models": { "fallback": ["a",\n""] } }', ['"" is not allowed for models.fallback', ":2:1)"]],
	['{ "models": { "file": "absent.json" } }', ["absent.json", "models.file", ":1:23)", "a file that exists"]],
	[
		'{ "tasks": { "limit": 65 } }',
		["65 is not allowed for tasks.limit", ":1:23)", "a whole number from 1 to 64"],
	],
	['{ "tasks": { "minutes": 0 } }', ["0 is not allowed for tasks.minutes", "a whole number from 1 to 10080"]],
	['{ "tasks": { "model_calls": 1 } }', ["model_calls", "limit, minutes, modelCalls"]],
	['{ "files": { "maxBytes": 0 } }', ["0 is not allowed for files.maxBytes", ":1:26)", "from 1 to"]],
	['{ "files": { "keepDays": 1.5 } }', ["1.5 is not allowed for files.keepDays", "a whole number"]],
	['{ "budgets": { "day": "5" } }', ['"5" is not allowed for budgets.day', ":1:23)", "US dollars"]],
	['{ "budgets": { "month": -1 } }', ["-1 is not allowed for budgets.month", ":1:25)", "from 0 to 1000000"]],
	[
		'{ "budgets": { "session": {\n  "day": 1000001 } } }',
		["1000001 is not allowed for budgets.session.day", ":2:10)", "US dollars"],
	],
	['{ "budgets": { "day": 1e999 } }', ["Infinity is not allowed for budgets.day", "US dollars"]],
	['{ "budgets": { "day": null } }', ["null is not allowed for budgets.day", "US dollars"]],
	[
		'{ "chat": { "tenants": { "discord": 5 } } }',
		["5 is not", "chat.tenants.discord", "a list, each the platform"],
	],
	['{ "chat": { "tenants": { "discord": [123] } } }', ["123 is not", "chat.tenants.discord", "in quotes"]],
	['{ "chat": { "tenants": { "My App": [] } } }', ["chat.tenants.My App (", "platform, such as discord"]],
	[
		'{ "chat": { "people": { "allow": [{ "as": "member" }] } } }',
		["chat.people.allow.platform (", "is missing"],
	],
	[
		'{ "chat": { "people": { "allow": [{ "platform": "slack", "as": "king" }] } } }',
		['"king" is not allowed for chat.people.allow.as', "guest, member, approver, owner"],
	],
	[
		'{ "chat": { "people": { "allow": [{ "platform": "slack", "usr": "1", "as": "guest" }] } } }',
		['unknown setting "chat.people.allow.0.usr"', "did you mean user?"],
	],
	[
		'{ "chat": { "people": { "deny": [{}] } } }',
		["{} is not allowed for chat.people.deny", "a rule that names"],
	],
	['{ "slack": { "listen": "here" } }', ['"here" is not allowed for slack.listen', "HOST:PORT"]],
	['{ "slack": { "apiUrl": "slack.com" } }', ['"slack.com" is not allowed for slack.apiUrl', "http"]],
	['{ "slack": { "token": "xoxb" } }', ['unknown setting "slack.token"', "apiUrl, listen"]],
	[
		'{ "chat": { "chanels": {} } }',
		[
			"did you mean channels?",
			"Allowed: people, tenants, trust, typedApprovals, joinSeconds, welcome, approvalNotices, channels",
		],
	],
	['{ "chat": { "channels": { "general": {} } } }', ["chat.channels.general (", "PLATFORM:TENANT:CHANNEL"]],
	[
		'{ "chat": { "channels": { "discord:g:c": { "aproval": 1 } } } }',
		['unknown setting "chat.channels.discord:g:c.aproval"', "allowed: agent, model, tools, root"],
	],
	[
		'{ "chat": { "channels": { "discord:g:c": { "root": "nowhere" } } } }',
		["nowhere", "chat.channels.discord:g:c.root", "a directory that exists"],
	],
	[
		'{ "chat": { "channels": { "discord:g:c": { "approveIn": "slack:T:C" } } } }',
		["PLATFORM:TENANT:CHANNEL"],
	],
	['{ "chat": { "channels": { "discord:g": { "budgetUsd": -1 } } } }', ["-1 is not allowed", "US dollars"]],
	['{ "chat": { "channels": { "discord:g": { "approvalHours": 0 } } } }', ["0 is not", "hours from 0.1"]],
	['{ "chat": { "joinSeconds": 11 } }', ["11 is not", "chat.joinSeconds", "seconds from 0 to 10"]],
	['{ "chat": { "welcome": { "posts": 1 } } }', ["1 is not", "chat.welcome.posts", "true or false"]],
	[
		'{ "chat": { "welcome": { "prompts": ["a", "b", "c", "d"] } } }',
		["chat.welcome.prompts", "at most three"],
	],
	...(
		[
			[{}, "missing"],
			[{ groups: [] }, "a list with at least one group"],
			[{ groups: [{ by: [] }] }, "a list with at least one of mention, channel and direct"],
			[{ groups: [{ by: ["mail"] }] }, "mention, channel, direct"],
			[{ groups: [{ by: ["mention", "direct"] }] }, "a list with direct only as its first way"],
			[{ groups: [{ people: ["discord:h:5"] }] }, "people of discord:g, as discord:g:USER"],
			[{ groups: [{}], remindMinutes: 0 }, "minutes from 1 to 10080"],
		] as const
	).map(([given, allowed]): [string, string[]] => [
		JSON.stringify({ chat: { approvalNotices: { "discord:g:c": given } } }),
		[allowed],
	]),
	['{ "chat": { "channels": { "discord:g": { "mention": "never" } } } }', ['"never"', "required, always"]],
	['{ "chat": { "channels": { "discord:g": { "sessions": "mine" } } } }', ['"mine"', "shared, person"]],
	['{ "auth" "token" }', [":1:10", "colon expected"]],
	['{ "tls": { "cert": "here.pem" } }', ["tls.key (", ":1:10) is missing", "private key"]],
	['{ "tls": {} }', ["tls.cert (", "is missing", "a file with the certificate"]],
	[
		'{ "tls": { "cert": "absent.pem", "key": "here.pem" } }',
		["absent.pem", "tls.cert", "a file that exists"],
	],
	['{ "tls": { "cert": "here.pem", "key": "." } }', ["tls.key", "a file that exists"]],
	['{ "tls": "here.pem" }', ['"here.pem" is not allowed for tls', ":1:10)"]],
	[
		'{ "trustedProxies": "10.0.0.1" }',
		['"10.0.0.1" is not allowed for trustedProxies', "a list, each an IP"],
	],
	['{ "trustedProxies": ["proxy.test"] }', ['"proxy.test"', ":1:22)", "a network such as 10.0.0.0/8"]],
	['{ "trustedProxies": ["10.0.0.0/33"] }', ['"10.0.0.0/33"', "a network such as 10.0.0.0/8"]],
	['{ "publicUrl": "http://a.test" }', ['"http://a.test"', ":1:16)", "https://parley.example"]],
	['{ "publicUrl": "https://a.test/parley" }', ["without a path"]],
	['{ "publicUrl": "https://me:se/cret?@a.test" }', ['"https://…@a.test" is not allowed']],
	[
		'{ "publicUrl": ["https://me:secret@a.test?key=secret", "https://me:secret@b.test?key=secret"] }',
		['["https://…@a.test?…","https://…@b.test?…"] is not allowed'],
	],
	['{ "publicUrl": "https://a.test?" }', ["without a path"]],
	['{ "search": { "provider": "google" } }', ['"google" is not allowed for search.provider', "brave"]],
	[
		'{ "search": { "provider": "searxng" } }',
		["search.url (", " is missing; needed: an http or https address"],
	],
	['{ "search": { "provider": "searxng", "url": "ftp://a" } }', ['"ftp://a"', "an http or https address"]],
	[
		'{ "search": { "provider": "searxng", "url": "http://a", "key": "X_KEY" } }',
		["X_KEY", "no key, because searxng needs none"],
	],
	[
		'{ "search": { "provider": "brave" } }',
		[
			'"BRAVE_API_KEY"',
			"search.key (",
			"this variable is missing or empty in the environment of this process",
			"the name of an environment variable",
		],
	],
	['{ "egress": { "allow": "a.test" } }', ['"a.test" is not allowed for egress.allow', ":1:24)", "a list"]],
	['{ "egress": { "allow": ["a.test", "10.0.0.1"] } }', ['"10.0.0.1"', ":1:35)", "a host name such as"]],
	['{ "egress": { "allow": ["*.com"] } }', ['"*.com"', ":1:25)", "a host name such as"]],
	['{ "commandUnixSockets": "yes" }', ['"yes" is not allowed for commandUnixSockets', "true or false"]],
	['{ "egress": ["a.test"] }', ['["a.test"] is not allowed for egress', ":1:13)"]],
	['{ "insecureLan": "yes" }', ['"yes" is not allowed for insecureLan', "true or false"]],
	['{ "auth": "none", "publicUrl": "https://a.test" }', ["of a proxy would be the operator", "auth local"]],
	['{ "auth": "none", "trustedProxies": ["::1"] }', ["of a proxy would be the operator", "auth local"]],
])("the file %j is refused with line and column", (text, parts) => {
	using place = setUp();
	place.write("data/parley.config.json", text);
	place.write("data/here.pem", "");
	expect(() => place.load()).toThrow(refusal("invalid_argument", ...parts));
});

test.each(["models", "budgets", "files", "chat", "tls"])(
	"%s that is not an object is refused with its allowed form",
	(name) => {
		using place = setUp();
		for (const value of ["7", "null", "[]", '"x"']) {
			place.write("data/parley.config.json", `{ "${name}": ${value} }`);
			expect(() => place.load()).toThrow(
				refusal("invalid_argument", `${value} is not allowed for ${name}`, "allowed: an object"),
			);
		}
	},
);

test.each([
	[
		'{\n  "listn": []\n}',
		['unknown setting "listn"', ":2:12", "did you mean listen?", "Allowed: listen, data"],
	],
	['{ "log-level": "info" }', ['unknown setting "log-level"', "did you mean logLevel?"]],
	[
		'{ "budgets": { "sesion": {} } }',
		['unknown setting "budgets.sesion"', ":1:26", "did you mean session?", "Allowed: day, month, session"],
	],
	['{ "budgets": { "session": { "year": 1 } } }', ['"budgets.session.year"', "allowed: day, month"]],
	['{ "colour": "red" }', ['unknown setting "colour"', "allowed: listen, data, root"]],
	['{ "__proto__": {"auth": "none"} }', ['unknown setting "__proto__"', "allowed: listen"]],
])("the file %j is refused for its unknown setting, with a suggestion", (text, parts) => {
	using place = setUp();
	place.write("data/parley.config.json", text);
	expect(() => place.load()).toThrow(refusal("invalid_argument", ...parts));
	expect(() => place.load()).not.toThrow(
		expect.objectContaining({ message: expect.stringContaining("$schema") }),
	);
});

test.each(["127.0.0.1:0", "127.8.9.10:1", "[::1]:0", "localhost:0", "LOCALHOST:7"])(
	"a listener at %s is allowed",
	(listen) => {
		using place = setUp();
		expect(place.load({ flags: { listen: [listen], auth: "none" } }).listen).toHaveLength(1);
	},
);

test.each([
	"0.0.0.0:7777",
	"[::]:7777",
	"192.168.1.5:7777",
	"[fe80::1]:7777",
	"gateway.example:7777",
	"127.evil.test:1",
])("a listener at %s, beyond this machine, is refused in every mode without TLS and proxy", (listen) => {
	using place = setUp();
	const beyond = (auth: string, reason: string) =>
		expect(() =>
			place.load({ flags: { listen: ["127.0.0.1:0", listen] }, environment: { PARLEY_AUTH: auth } }),
		).toThrow(
			refusal(
				"invalid_argument",
				`"${listen}" is not allowed for listen (--listen)`,
				reason,
				"127.0.0.1",
				"ssh -L",
			),
		);
	for (const auth of ["local", "token"]) {
		beyond(auth, "messages and the token would not be encrypted");
		beyond(auth, "--tls-cert FILE --tls-key FILE");
		beyond(auth, "--trusted-proxy ADDRESS");
	}
	beyond("none", "every client that can reach this address would be the operator");
});

test("a listener beyond this machine is refused in every source, with its position", () => {
	using place = setUp();
	place.write("data/parley.config.json", '{ "listen": ["0.0.0.0:7777"] }');
	expect(() => place.load()).toThrow(
		refusal("invalid_argument", '"0.0.0.0:7777"', "parley.config.json:1:14)"),
	);
	const environment = { PARLEY_LISTEN: "0.0.0.0:7777" };
	expect(() => place.load({ environment, flags: { config: undefined } })).toThrow(
		refusal("invalid_argument", "(PARLEY_LISTEN)"),
	);
});

test("remote access is configured in flags, variables or the file", () => {
	using place = setUp();
	for (const name of ["data/f.pem", "data/f.key", "v.pem", "v.key", "work/l.pem", "work/l.key"]) {
		place.write(name, "");
	}
	place.write(
		"data/parley.config.json",
		`{ "listen": ["0.0.0.0:1"], "tls": { "cert": "f.pem", "key": "f.key" }, "trustedProxies": ["10.0.0.0/8"],
		"publicUrl": "https://File.example/", "insecureLan": true }`,
	);
	const file = {
		tls: { cert: place.at("data", "f.pem"), key: place.at("data", "f.key") },
		trustedProxies: ["10.0.0.0/8"],
		publicUrl: "https://file.example",
		insecureLan: true,
	};
	expect(place.load()).toMatchObject(file);
	const environment = {
		PARLEY_TLS_CERT: "v.pem",
		PARLEY_TLS_KEY: "v.key",
		PARLEY_TRUSTED_PROXIES: "192.0.2.1, ::1",
		PARLEY_PUBLIC_URL: "https://variable.example:8443",
		PARLEY_INSECURE_LAN: "0",
	};
	const variables = place.load({ environment });
	expect(variables).toMatchObject({
		tls: { cert: place.at("v.pem"), key: place.at("v.key") },
		trustedProxies: ["192.0.2.1", "::1"],
		publicUrl: "https://variable.example:8443",
	});
	expect(variables.insecureLan).toBeUndefined();
	const flags = {
		tlsCert: "work/l.pem",
		tlsKey: "work/l.key",
		trustedProxies: ["fd00::/8"],
		publicUrl: "https://flag.example",
		insecureLan: true,
	};
	expect(place.load({ environment, flags })).toMatchObject({
		tls: { cert: place.at("work", "l.pem"), key: place.at("work", "l.key") },
		trustedProxies: ["fd00::/8"],
		publicUrl: "https://flag.example",
		insecureLan: true,
	});
});

test("a certificate and its key are set by the same source, and messages use the names of that source", () => {
	using place = setUp();
	place.write("c.pem", "");
	expect(() => place.load({ flags: { tlsCert: "c.pem" } })).toThrow(
		refusal("invalid_argument", "tls.key (--tls-key) is missing", "private key"),
	);
	expect(() => place.load({ environment: { PARLEY_TLS_KEY: "c.pem" } })).toThrow(
		refusal("invalid_argument", "tls.cert (PARLEY_TLS_CERT) is missing"),
	);
	expect(() => place.load({ flags: { tlsCert: "absent.pem", tlsKey: "c.pem" } })).toThrow(
		refusal("invalid_argument", "absent.pem", "tls.cert (--tls-cert)", "a file that exists"),
	);
});

test.each([{ tlsCert: "c.pem", tlsKey: "c.pem" }, { trustedProxies: ["10.0.0.1"] }, { insecureLan: true }])(
	"a listener beyond this machine is allowed with %j, but never without tokens",
	(flags) => {
		using place = setUp();
		place.write("c.pem", "");
		const listen = ["0.0.0.0:7777", "[::]:7778"];
		expect(place.load({ flags: { ...flags, listen } }).listen).toHaveLength(2);
		expect(() => place.load({ flags: { ...flags, listen, auth: "none" } })).toThrow(
			refusal("invalid_argument", "every client that can reach"),
		);
	},
);

test.each([
	["in the data directory", "data/parley.config.json", undefined],
	["named with --config", "other/it's.json", { config: "other/it's.json" }],
])(
	"a configuration file %s that every user can change is refused with the command to fix it",
	(_, file, flags) => {
		using place = setUp();
		place.write(file, '{ "model": "x" }');
		chmodSync(place.at(file), 0o646);
		const fix = `run: chmod o-w '${place.at(file).replaceAll("'", "'\\''")}'`;
		expect(() => place.load(defined({ flags }))).toThrow(
			refusal("failed_precondition", place.at(file), "changed by every user", "mode 646", fix),
		);
		chmodSync(place.at(file), 0o664);
		expect(place.load(defined({ flags })).model).toBe("x");
	},
);

test("a configuration file that every user can replace is refused, but not in a directory such as /tmp", () => {
	using place = setUp();
	place.write("other/named.json", '{ "model": "x" }');
	chmodSync(place.at("other"), 0o777);
	const flags = { config: "other/named.json" };
	expect(() => place.load({ flags })).toThrow(
		refusal("failed_precondition", "replaced by every user", `run: chmod o-w '${place.at("other")}'`),
	);
	chmodSync(place.at("other"), 0o1777);
	expect(place.load({ flags }).model).toBe("x");
	// Every user can write to /dev/null, but this changes nothing for readers. Only its empty content is refused.
	expect(() => place.load({ flags: { config: "/dev/null" } })).toThrow(
		refusal("invalid_argument", "/dev/null", "value expected"),
	);
});

test.each([
	["systemPromptFile", '"systemPromptFile": "steering"'],
	["models.file", '"models": { "file": "steering" }'],
	["policyFile", '"policyFile": "steering"'],
])("the file that %s names is refused if every user can change it", (_, setting) => {
	using place = setUp();
	place.write("data/steering", "[]");
	place.write("data/parley.config.json", `{ ${setting} }`);
	chmodSync(place.at("data/steering"), 0o666);
	expect(() => place.load()).toThrow(
		refusal("failed_precondition", "data/steering", "changed by every user"),
	);
	chmodSync(place.at("data/steering"), 0o644);
	expect(() => place.load()).not.toThrow();
});

test.each([
	["configuration file", "", { config: "links/file" }],
	["policyFile", "", { policyFile: "links/file" }],
	["systemPromptFile", '"systemPromptFile": "links/file"', { config: "top.json" }],
])(
	"a %s is refused if a directory above it or behind a link to it can be written by every user",
	(_, setting, flags) => {
		using place = setUp();
		for (const name of ["links", "links/safe", "open", "open/inner"]) mkdirSync(place.at(name));
		place.write("top.json", `{ ${setting} }`);
		place.write("open/inner/file", "{}");
		symlinkSync("safe/next", place.at("links/file"));
		symlinkSync(place.at("open/inner/file"), place.at("links/safe/next"));
		place.load({ flags });
		for (const name of ["open", "open/inner", "links/safe", "links"]) {
			chmodSync(place.at(name), 0o777);
			expect(() => place.load({ flags }), name).toThrow(
				refusal("failed_precondition", "replaced by every user", `run: chmod o-w '${place.at(name)}'`),
			);
			chmodSync(place.at(name), 0o755);
		}
	},
);

test("the policy file of the data directory is refused if every user can change or replace it", () => {
	using place = setUp();
	place.write("data/policy.jsonc", "{}");
	chmodSync(place.at("data/policy.jsonc"), 0o666);
	expect(() => place.load()).toThrow(refusal("failed_precondition", "policy.jsonc", "changed by every user"));
	chmodSync(place.at("data/policy.jsonc"), 0o644);
	chmodSync(place.at("data"), 0o777);
	expect(() => place.load()).toThrow(refusal("failed_precondition", "replaced by every user"));
});

test("files that another user or a group can change cause a warning, but not those of root and of the private group", () => {
	using place = setUp();
	place.write("other/file", "{}");
	const real = statSync(place.at("other/file"));
	const warnings = (facts: { uid: number; gid: number; mode: number }) =>
		refuseForeignWriters(place.at("other/file"), { ...facts, isFile: () => real.isFile() });
	const user = process.geteuid?.() ?? 0;
	const stranger = user + 1;
	expect(warnings({ uid: 0, gid: stranger, mode: 0o644 })).toEqual([]);
	expect(warnings({ uid: user, gid: user, mode: 0o664 })).toEqual([]);
	expect(warnings({ uid: stranger, gid: user, mode: 0o644 })).toEqual([
		expect.stringContaining(`belongs to another user (id ${stranger})`),
	]);
	expect(warnings({ uid: user, gid: stranger, mode: 0o664 })).toEqual([
		expect.stringMatching(/members of its group .* run: chmod g-w '/),
	]);
});

/** Mocks the user of the process, so that the test's files belong to another user. Returns the mocked id. */
function asAnotherUser(): number {
	const own = process.geteuid?.() ?? 0;
	const user = vi.spyOn(process, "geteuid").mockReturnValue(own + 1);
	onTestFinished(() => user.mockRestore());
	return own + 1;
}

/** Test for root only, because only root can give a directory to another user. */
const asRoot = test.skipIf(process.geteuid?.() !== 0);

asRoot(
	"another user or a group who can replace a directory above a configuration file is warned about",
	() => {
		using place = setUp();
		for (const name of ["top", "top/middle"]) mkdirSync(place.at(name));
		place.write("top/middle/file", "{}");
		const file = place.at("top/middle/file");
		chownSync(file, 0, 0);
		const user = asAnotherUser();
		const stranger = user + 1;
		const warned = () => refuseForeignWriters(file, statSync(file));
		const set = (uid: number, gid: number, mode: number) => {
			chownSync(place.at("top"), uid, gid);
			chmodSync(place.at("top"), mode);
			return warned();
		};
		expect(set(stranger, 0, 0o755)).toEqual([
			`the file ${file} can be replaced by another user (id ${stranger}), who owns ${place.at("top")}; ` +
				`if that is not intended, run: sudo chown -h ${user} '${place.at("top")}'`,
		]);
		expect(set(0, stranger, 0o775)).toEqual([
			`the file ${file} can be replaced by the group with id ${stranger}, which can write ${place.at("top")}; ` +
				`if that is not intended, run: chmod g-w '${place.at("top")}'`,
		]);
		// With the sticky bit, the owner of a directory can replace all entries, but the directory's group cannot.
		expect(set(stranger, stranger, 0o1775)).toEqual([expect.stringContaining("who owns")]);
		expect(set(0, stranger, 0o1775)).toEqual([]);
		// The user's own directory, the user's private group, and the group of root cause no warning.
		for (const [uid, gid, mode] of [
			[user, stranger, 0o755],
			[user, user, 0o775],
			[0, 0, 0o775],
		] as const) {
			expect(set(uid, gid, mode), `${uid} ${gid} ${mode}`).toEqual([]);
		}
		// A user who owns the file and all directories above it is named in only one warning.
		for (const name of ["top", "top/middle", "top/middle/file"]) chownSync(place.at(name), stranger, 0);
		expect(warned()).toEqual([expect.stringContaining("belongs to another user")]);
	},
);

asRoot("a link of another user in a directory such as /tmp is warned about", () => {
	using place = setUp();
	mkdirSync(place.at("shared"));
	chmodSync(place.at("shared"), 0o1777);
	place.write("other/file", "{}");
	symlinkSync(place.at("other/file"), place.at("shared/link"));
	lchownSync(place.at("shared/link"), 12_345, 12_345);
	expect(refuseForeignWriters(place.at("shared/link"), statSync(place.at("other/file")))).toEqual([
		expect.stringContaining(`another user (id 12345), who owns ${place.at("shared/link")}`),
	]);
});

test("a configuration has the warnings about its file and about the files that it names", () => {
	using place = setUp();
	const names = ["data/parley.config.json", "data/policy.jsonc", "data/prompt"];
	place.write("data/prompt", "You are terse.");
	place.write("data/policy.jsonc", "{}");
	place.write("data/parley.config.json", '{ "systemPromptFile": "prompt" }');
	// The group with id 0 causes no warning, so the files get another group.
	if (process.geteuid?.() === 0) for (const name of names) chownSync(place.at(name), 0, 12_345);
	for (const name of names) chmodSync(place.at(name), 0o664);
	// With another user id, the group of the files is not the private group of the gateway's user.
	const user = vi.spyOn(process, "geteuid").mockReturnValue(statSync(place.at("data/prompt")).gid + 1);
	onTestFinished(() => user.mockRestore());
	const warned = (place.load().warnings ?? []).filter((warning) => warning.includes("members of its group"));
	for (const name of names) expect(warned).toContainEqual(expect.stringContaining(place.at(name)));
	expect(warned).toHaveLength(names.length);
});

test("the key of a search engine comes from the environment", () => {
	using place = setUp();
	const search = (settings: object, environment: Record<string, string> = {}) => {
		place.write("data/parley.config.json", JSON.stringify({ search: settings }));
		return place.load({ environment }).search;
	};
	expect(search({ provider: "brave" }, { BRAVE_API_KEY: " abc " })).toEqual({
		provider: "brave",
		url: "https://api.search.brave.com",
		key: "abc",
	});
	expect(search({ provider: "brave", key: "OTHER", url: "http://proxy:1" }, { OTHER: "x" })).toEqual({
		provider: "brave",
		url: "http://proxy:1",
		key: "x",
	});
	const own = { provider: "searxng", url: "http://10.0.0.2:8888" };
	expect(search(own)).toEqual(own);
});
