import { ManualClock } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { expect } from "vitest";
import { as, discordConnector } from "./discord-connector.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"ozzie",
	["run.named", "run.ends", "run.cancel-one"],
	"a message keeps its name, its end names its run, and each can be cancelled alone",
	async () => {
		await using gateway = await TestGateway.start({ clock: new ManualClock() });
		await using client = await OzzieClient.connect(gateway.url);
		const session_id = await client.open();
		const say = async (content: string, correlation_id?: string) =>
			(await client.call("send_message", { content, ...(correlation_id && { correlation_id }) }))["run_id"];
		const first = await say("long: 9 tokens at 1 per second");
		expect((await client.event("user.message", { run_id: first })).payload).not.toHaveProperty(
			"correlation_id",
		);
		await client.event("assistant.stream", { content: "t1" });
		const second = await say("say: two", "msg-2");
		const third = await say("say: three", "msg-3");
		await client.event("user.message", { run_id: second, correlation_id: "msg-2" });
		const cancel = (run_id: unknown) => client.call("cancel_turn", { run_id });
		expect(await cancel(second)).toEqual({ status: "cancelled" });
		await client.event("assistant.message", { run_id: second, error: "cancelled", content: "" });
		expect(await cancel(second)).toEqual({ status: "idle" });
		expect(await cancel("run_none")).toEqual({ status: "idle" });
		expect(await cancel(first)).toEqual({ status: "cancelled" });
		await client.event("assistant.message", { run_id: first, error: "cancelled" });
		await client.event("assistant.message", { run_id: third, error: "", content: "[offline] three" });
		const retried = (await client.call("retry"))["run_id"];
		await client.event("user.message", { run_id: retried, retry_of: third, correlation_id: "msg-3" });
		await client.event("assistant.message", { run_id: retried });
		await client.leave();
		await gateway.restart();
		await using back = await OzzieClient.connect(gateway.url, {}, "?envelope=both");
		await back.call("open_session", { session_id, after_seq: 0 });
		for (const [run_id, correlation_id] of [
			[second, "msg-2"],
			[third, "msg-3"],
		])
			await back.event("user.message", { run_id, correlation_id });
		for (const run_id of [second, first, third, retried]) await back.event("assistant.message", { run_id });
	},
);

verifiesOn("ozzie", ["people.channel"], "a connector reads the settings of a channel", async () => {
	await using d = await discordConnector({ ada: "member" });
	const place = async () => (await d.connector.call("whoami", as("ada")))["place"];
	const usual = {
		mention: "required",
		sessions: "shared",
		live: "tools",
		answers: "channel",
		status: "posts",
		busy: "queue",
		context: 20,
	};
	expect(await place()).toEqual(usual);
	const profile = {
		mention: "always",
		sessions: "person",
		live: "text",
		answers: "thread",
		status: "reactions",
		busy: "offer",
		context: 0,
		agent: "default",
	};
	await d.operator.call("set_place", { place: "discord:111", profile });
	expect(await place()).toEqual(profile);
	await d.operator.call("set_place", { place: "discord:111:general", profile: { sessions: "shared" } });
	expect(await place()).toEqual(usual);
	expect(await d.operator.call("whoami")).not.toHaveProperty("place");
	expect(await d.connector.call("whoami")).not.toHaveProperty("place");
	const wrong = { place: "discord:111", profile: { sessions: "mine" } };
	expect(await d.operator.refusal("set_place", wrong)).toMatch(/^invalid params: profile\.sessions/);
});

verifiesOn("ozzie", ["people.channel"], "a connector reads the contents of a welcome", async () => {
	const chat = {
		allow: [],
		deny: [],
		tenants: {},
		places: {},
		welcome: { posts: true, prompts: ["Say hi"] },
	};
	await using d = await discordConnector({ ada: "member", bea: "approver" }, { config: { chat } });
	const place = async (user: string) => (await d.connector.call("whoami", as(user)))["place"];
	const welcome = { posts: true, prompts: ["Say hi"] };
	expect(await place("ada")).toMatchObject({ welcome: { ...welcome, approvers: ["discord:111:bea"] } });
	expect(await place("eve")).toMatchObject({ welcome: { ...welcome, approvers: [] } });
});

verifiesOn("ozzie", ["grant.alone"], "a connector ends a grant without a person", async ({ skip }) => {
	skip(!hasBubblewrap, "bubblewrap is not installed here");
	await using d = await discordConnector({ ada: "member" }, { config: { sandbox: "required" } });
	const { operator, connector } = d;
	await connector.call("open_session", as("ada"));
	const request = { channel: "discord:111:general", reason: "release" };
	const { grant } = await operator.call("request_grant", request);
	const { grant_id } = Object(grant);
	expect(await connector.call("list_grants")).toMatchObject({ grants: [{ grant_id }], wishes: [] });
	const slack = { kind: "connector", name: "slack", platform: "slack", tenants: ["111"] };
	await using other = await d.connect(String((await operator.call("create_token", slack))["token"]));
	expect(await other.call("list_grants")).toEqual({ grants: [], wishes: [] });
	expect(await other.refusal("revoke_grant", { grant_id })).toBe(
		`not available: grant not found: ${grant_id}; use an id from the list of grants`,
	);
	await connector.call("revoke_grant", { grant_id, reason: "the bot was removed" });
	const reason = "revoked by connector:discord: the bot was removed";
	await connector.event("grant.ended", { grant_id, reason });
	const { records } = await operator.call("read_audit", { principal: "connector:discord" });
	expect(records).toMatchObject([{ action: "grant.end", grant_id, args: { reason } }]);
});

verifiesOn("ozzie", ["prompt.list"], "open prompts are listed for principals that may see them", async () => {
	await using d = await discordConnector({ ada: "member", abe: "approver" });
	const { operator, connector } = d;
	const { session_id } = await connector.call("open_session", { title: "Colours", ...as("ada") });
	await connector.call("send_message", { content: "ask: Which colour?", ...as("ada") });
	const { token } = (await connector.event("prompt.request")).payload;
	const own = await operator.open();
	await operator.call("send_message", { content: "write: a.txt <<< one" });
	const approval = (await operator.event("prompt.request")).payload;
	const shown = (params?: object, requester = operator) => requester.call("list_prompts", params);
	const { arguments: args, preview, ...context } = Object(approval["context"]);
	const requested = {
		...{ token, session_id, session_title: "Colours", person: "discord:111:ada", label: "Which colour?" },
		always_ask: false,
	};
	expect(await shown()).toMatchObject({ prompts: [requested, { ...approval, context, session_id: own }] });
	expect(JSON.stringify(await shown())).not.toContain('"preview"');
	const completeApproval = { ...approval, context: { ...context, arguments: args, preview } };
	expect(await shown({ token: approval["token"] })).toMatchObject({ prompts: [completeApproval] });
	expect(await shown({ session_id: own, limit: 1 })).toMatchObject({ prompts: [{ session_id: own }] });
	for (const params of [{}, as("ada"), as("abe")])
		expect((await shown(params, connector))["prompts"]).toMatchObject([requested]);
	expect(await shown(as("abe", "random"), connector)).toEqual({ prompts: [] });
	expect(await connector.refusal("list_prompts", { session_id: own })).toBe(`session not found: ${own}`);
	const observer = await operator.call("create_token", { kind: "observer", name: "wall" });
	await using wall = await d.connect(String(observer["token"]));
	const { prompts } = await shown({}, wall);
	const hidden = { token: expect.stringMatching(/^hidden_/) };
	expect(prompts).toMatchObject([hidden, hidden]);
	expect(JSON.stringify(prompts)).not.toContain(String(token));
	await operator.call("prompt_response", { token, value: "blue" });
	expect((await shown())["prompts"]).toHaveLength(1);
});

verifiesOn(
	"ozzie",
	["session.connector-back"],
	"a connector resumes its sessions without a person",
	async () => {
		await using d = await discordConnector({ ada: "member" });
		const { operator, connector } = d;
		const { session_id } = await connector.call("open_session", {
			external_key: "discord:111:general",
			...as("ada"),
		});
		const { token } = await operator.call("create_token", {
			...{ kind: "connector", name: "discord-2", platform: "discord", tenants: ["111"] },
		});
		await connector.call("send_message", { content: "hello", ...as("ada") });
		await connector.event("assistant.message");
		await using reconnected = await d.connect(d.token);
		const opened = await reconnected.call("open_session", { session_id, after_seq: 0 });
		expect(opened).toMatchObject({ status: "resumed" });
		await reconnected.event("assistant.message");
		await using other = await d.connect(String(token));
		expect(await other.refusal("open_session", { session_id })).toBe(`session not found: ${session_id}`);
		const own = await operator.open();
		expect(await reconnected.refusal("open_session", { session_id: own })).toBe(`session not found: ${own}`);
		expect(await reconnected.refusal("open_session", {})).toMatch(
			/^forbidden: a connector must name the person/,
		);
	},
);
