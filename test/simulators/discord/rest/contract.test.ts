import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { Contract, contractFile } from "./contract.ts";
import { codeOf, pausedSimulator } from "./direct-client.ts";

const withContract = test.skipIf(!existsSync(contractFile));

const messages = "/channels/{channel_id}/messages";
const row = { type: 1, components: [{ type: 2, style: 1, label: "Go", custom_id: "go" }] };

function contract(): Contract {
	const loaded = Contract.load();
	if (!loaded) throw new Error("there is no contract");
	return loaded;
}

function faults(method: string, path: string, body: unknown, query: Record<string, string> = {}): string[] {
	return contract().faultsOfRequest({ method, path }, { query, body, params: {} });
}

withContract("requests as Discord wants them pass its OpenAPI", () => {
	const fields = [{ type: 18, label: "Why", component: { type: 4, custom_id: "a", style: 1 } }];
	const callback = "/interactions/{interaction_id}/{interaction_token}/callback";
	const good: readonly (readonly [string, string, unknown])[] = [
		["POST", messages, { content: "x", nonce: "n", enforce_nonce: true, components: [row] }],
		[
			"POST",
			messages,
			{ flags: 1 << 15, components: [{ type: 17, components: [{ type: 10, content: "x" }, row] }] },
		],
		[
			"PATCH",
			`${messages}/{message_id}`,
			{ content: "x", attachments: [{ id: "1" }], allowed_mentions: { parse: [] } },
		],
		["POST", `${messages}/{message_id}/threads`, { name: "T", auto_archive_duration: 1440 }],
		["PATCH", "/channels/{channel_id}", { archived: false, locked: false }],
		["POST", callback, { type: 4, data: { content: "x", flags: 64 } }],
		["POST", callback, { type: 5, data: { flags: 64 } }],
		["POST", callback, { type: 6 }],
		["POST", callback, { type: 7, data: { content: "x", components: [] } }],
		["POST", callback, { type: 8, data: { choices: [{ name: "a", value: "b" }] } }],
		["POST", callback, { type: 9, data: { title: "T", custom_id: "m", components: fields } }],
		["PATCH", "/webhooks/{webhook_id}/{webhook_token}/messages/@original", { content: "x" }],
		[
			"PUT",
			"/applications/{application_id}/commands",
			[{ name: "a", description: "b", default_member_permissions: "8" }],
		],
	];
	for (const [method, path, body] of good) expect([path, faults(method, path, body)]).toEqual([path, []]);
	expect(faults("GET", messages, undefined, { limit: "50", after: "1" })).toEqual([]);
});

withContract.each<[string, unknown]>([
	["a key that is misspelt", { contnet: "x" }],
	["a key that is misspelt inside", { content: "x", allowed_mentions: { parsed: [] } }],
	[
		"a key that is misspelt in a button",
		{ components: [{ type: 1, components: [{ ...row.components[0], lable: "x" }] }] },
	],
	["a value of another type", { content: 1 }],
	["a list that is too long", { embeds: Array.from({ length: 11 }, () => ({ description: "x" })) }],
	["a component that there is not", { components: [{ type: 99 }] }],
])("a request with %s does not pass", (_, body) => {
	expect(faults("POST", messages, body)).not.toEqual([]);
});

withContract("a question that Discord does not know, or a number out of its range, does not pass", () => {
	expect(faults("GET", messages, undefined, { newest: "1" })).toEqual(["query: there is no newest"]);
	expect(faults("GET", messages, undefined, { limit: "101" })).toEqual(["query: limit must not be 101"]);
	expect(faults("POST", messages, undefined)).toEqual(["body: is missing"]);
	expect(faults("GET", messages, { content: "x" })).toEqual(["body: there is none"]);
});

withContract("a fault names the place and what is wrong with it", () => {
	const [fault] = faults("POST", messages, {
		content: "x",
		components: [{ type: 1, components: [{ type: 2, style: 9 }] }],
	});
	expect(fault).toContain("body/components/0/components/0/style");
});

withContract("a violation is refused, and noted with its route", () => {
	const { simulator, app, general } = pausedSimulator();
	const answer = app.call("POST", `/channels/${general.id}/messages`, {
		body: { content: "x", mentions: [] },
	});
	expect([answer.status, codeOf(answer)]).toEqual([400, 50_035]);
	expect(simulator.drainViolations()).toEqual([
		`POST ${messages}: body: must NOT have unevaluated properties {"unevaluatedProperty":"mentions"}`,
	]);
});

withContract("what the simulator answers is checked, too", () => {
	expect(contract().faultsOfAnswer("POST", messages, 200, { id: 1 })).not.toEqual([]);
	expect(contract().faultsOfAnswer("POST", messages, 299, {})).not.toEqual([]);
	expect(contract().faultsOfAnswer("POST", "/channels/{channel_id}/typing", 204, null)).toEqual([]);
});

test("an unknown route is refused and recorded", () => {
	const { simulator, app } = pausedSimulator();
	expect(app.get("/guilds/1/emojis").status).toBe(404);
	expect(simulator.drainViolations()).toEqual(["there is no GET /guilds/1/emojis"]);
});

test("every response of the simulator matches Discord's contract", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general, attachments: [{ name: "a.txt", content: "a" }] });
	const opened = anna.opensThread("Talk", { of: sentMessage });
	const direct = Object(app.call("POST", "/users/@me/channels", { body: { recipient_id: anna.id } }).body);
	const paths = [
		...[
			"/users/@me",
			"/users/@me/guilds",
			`/users/${anna.id}`,
			"/applications/@me",
			"/oauth2/applications/@me",
		],
		...["/gateway", "/gateway/bot", `/guilds/${simulator.home.id}`, `/guilds/${simulator.home.id}/channels`],
		...[`/guilds/${simulator.home.id}/roles`, `/guilds/${simulator.home.id}/members/${anna.id}`],
		...[`/channels/${general.id}`, `/channels/${opened.id}`, `/channels/${direct.id}`],
		...[`/channels/${general.id}/messages`, `/channels/${general.id}/messages/${sentMessage.id}`],
		`/channels/${opened.id}/messages`,
	];
	for (const path of paths) expect([path, app.get(path).status]).toEqual([path, 200]);
	expect(simulator.drainViolations()).toEqual([]);
});
