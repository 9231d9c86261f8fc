import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson, systemClock } from "@parley/base";
import { afterAll, beforeEach, expect, test } from "vitest";
import { changeSetting, changeSettings, readConfigText, replaceConfigText } from "./change-settings.ts";

const directory = await mkdtemp(join(tmpdir(), "parley-change-"));
const file = join(directory, "parley.config.json");
const change = (environment: Readonly<Record<string, string>> = {}) => ({
	sources: { flags: {}, environment, cwd: directory, defaultData: directory },
	clock: systemClock,
});
const stored = async () => parseJson(await readFile(file, "utf8"));
const set = (key: string, ...words: string[]) => changeSetting(key, words, change());

beforeEach(() => rm(file, { force: true }));
afterAll(() => rm(directory, { recursive: true }));

test("the first setting creates the file for the operator only", async () => {
	expect(await set("budgets.day", "5")).toEqual({ path: file, isChanged: true });
	expect(await readFile(file, "utf8")).toBe('{\n\t"budgets": {\n\t\t"day": 5\n\t}\n}\n');
	expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("a change keeps comments, the format and the mode of the file, and a link to it", async () => {
	const target = join(directory, "settings.json");
	await writeFile(target, '{\n  // strict\n  "auth": "token", // for all\n  "titles": true,\n}\n');
	await chmod(target, 0o640);
	await symlink(target, file);
	await set("auth", "local");
	expect(await readFile(target, "utf8")).toBe(
		'{\n  // strict\n  "auth": "local", // for all\n  "titles": true,\n}\n',
	);
	expect((await stat(target)).mode & 0o777).toBe(0o640);
});

test("a file that every user can change stays as it is", async () => {
	await writeFile(file, "{}\n");
	await chmod(file, 0o666);
	await expect(set("titles", "false")).rejects.toThrow("can be changed by every user");
	expect(await stored()).toEqual({});
});

test.each([
	["titles", ["false"], { titles: false }],
	["listen", ["127.0.0.1:7777", "[::1]:7777"], { listen: ["127.0.0.1:7777", "[::1]:7777"] }],
	["listen", ['["127.0.0.1:0"]'], { listen: ["127.0.0.1:0"] }],
	["root", ["."], { root: [directory] }],
	["tasks.limit", ["8"], { tasks: { limit: 8 } }],
	["model", ["4"], { model: "4" }],
	[
		"chat.channels.discord:1:2.agent",
		["writer"],
		{ chat: { channels: { "discord:1:2": { agent: "writer" } } } },
	],
	["models.providers", ['{"mistral": {}}'], { models: { providers: { mistral: {} } } }],
])("the value of %s is read by the type of the setting", async (key, words, content) => {
	await set(key, ...words);
	expect(await stored()).toEqual(content);
});

test.each([
	["modle", ["x"], 'unknown setting "modle": did you mean model? Allowed: listen,'],
	[
		"budgets.mont",
		["5"],
		'unknown setting "budgets.mont": did you mean budgets.month? Allowed: day, month, session',
	],
	["auth.mode", ["x"], 'unknown setting "auth.mode"'],
	["__proto__", ["x"], 'unknown setting "__proto__"'],
	["budgets.day", ["five"], '"five" is not allowed for budgets.day (parley config set); allowed: an amount'],
	["titles", ["yes"], '"yes" is not allowed for titles (parley config set); allowed: true or false'],
	["auth", ["some"], '"some" is not allowed for auth (parley config set); allowed: local, token, none'],
	["model", ["a", "b"], 'model has one value, but the command line has 2: ["a","b"]'],
	["models.providers", ["{"], '"{" is not a value of models.providers: use JSON'],
	["root", ["missing"], `"${directory}/missing" is not allowed for root (parley config set)`],
	["data", ["/elsewhere"], "a configuration file in the data directory cannot set another data directory"],
	["insecureLan", ["true"], undefined],
	["listen", ["0.0.0.0:7777"], "other machines can reach this address"],
])("%s %j is refused with the allowed values, and changes nothing", async (key, words, message) => {
	await writeFile(file, '{ "logLevel": "info" }\n');
	if (message === undefined) return void (await set(key, ...words));
	await expect(set(key, ...words)).rejects.toThrow(
		expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(message) }),
	);
	expect(await readFile(file, "utf8")).toBe('{ "logLevel": "info" }\n');
});

test("another invalid setting of the file is named, and a change can correct it", async () => {
	await writeFile(file, '{ "auth": "some" }\n');
	await expect(set("titles", "true")).rejects.toThrow(`${file}:1:11`);
	await set("auth", "token");
	await set("titles", "true");
	expect(await stored()).toEqual({ auth: "token", titles: true });
});

test("a file that is not valid JSON is not changed", async () => {
	await writeFile(file, '{ "auth": ');
	await expect(set("titles", "true")).rejects.toThrow(`${file}:1:11: value expected`);
	expect(await readFile(file, "utf8")).toBe('{ "auth": ');
});

test("a setting without a value is removed; the removal of a missing one changes nothing", async () => {
	await set("auth", "token");
	expect(await changeSetting("auth", undefined, change())).toMatchObject({ isChanged: true });
	expect(await changeSetting("auth", undefined, change())).toMatchObject({ isChanged: false });
	expect(await stored()).toEqual({});
});

test("a variable with precedence, and a missing key, are reported", async () => {
	expect(await changeSetting("auth", ["token"], change({ PARLEY_AUTH: "local" }))).toMatchObject({
		isChanged: true,
		overriddenBy: "PARLEY_AUTH",
	});
	expect(await set("provider", "anthropic")).toMatchObject({
		isChanged: true,
		problem: expect.stringContaining("provider anthropic needs a key"),
	});
});

test("several settings are stored in one change, or none of them", async () => {
	await set("baseUrl", "https://models.example.com");
	const wrong = { provider: ["openai"], model: ["gpt-5"], baseUrl: undefined, auth: ["some"] };
	await expect(changeSettings(wrong, change())).rejects.toThrow('"some" is not allowed for auth');
	expect(await stored()).toEqual({ baseUrl: "https://models.example.com" });
	const right = { provider: ["openai"], model: ["gpt-5"], baseUrl: undefined };
	expect(await changeSettings(right, change({ PARLEY_MODEL: "standard" }))).toMatchObject({
		isChanged: true,
		overriddenBy: "PARLEY_MODEL",
	});
	expect(await stored()).toEqual({ provider: "openai", model: "gpt-5" });
});

test("changes of several commands at once are all stored", async () => {
	const keys = ["tasks.limit", "tasks.minutes", "tasks.modelCalls", "maxModelCalls", "budgets.day"];
	await Promise.all(keys.map((key) => set(key, "7")));
	expect(await stored()).toEqual({
		tasks: { limit: 7, minutes: 7, modelCalls: 7 },
		maxModelCalls: 7,
		budgets: { day: 7 },
	});
});

test("an edited text replaces the file only if it is valid and the file is still the same", async () => {
	await set("auth", "token");
	const { text } = await readConfigText(change().sources);
	await expect(replaceConfigText('{ "auth": 7 }', text, change())).rejects.toThrow(`${file}:1:11`);
	expect(await replaceConfigText('{ "auth": "local" }', text, change())).toMatchObject({ isChanged: true });
	expect(await readFile(file, "utf8")).toBe('{ "auth": "local" }\n');
	await expect(replaceConfigText("{}", text, change())).rejects.toThrow("was changed by another program");
});
