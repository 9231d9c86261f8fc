import { ManualClock } from "@parley/base/testing";
import { noUsage } from "@parley/core";
import { calls, hasBubblewrap, ScriptedModel, type ScriptedReply } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect, type TestContext } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const place = "discord:111:c";

/** Yields a reply with the call in the last message (`run: CMD` or `write: PATH`), or an empty reply. */
const reply: ScriptedReply = async function* ({ messages }) {
	const last = messages.at(-1);
	const lastText = last?.role === "user" ? JSON.stringify(last.content) : "";
	const [, tool, argument = ""] = /(run|write): ([^"\\]*)/.exec(lastText) ?? [];
	const id = `call_${messages.length}`;
	if (tool === "run") yield calls(id, "run_command", { cmd: argument });
	if (tool === "write") yield calls(id, "write_file", { path: argument, content: "x" });
	yield { type: "end", stop: tool ? "tool_use" : "end_turn", usage: noUsage, model: "m" };
};

async function start({ skip }: TestContext, clock?: ManualClock): Promise<TestGateway> {
	// Trusted channels require a sandbox.
	skip(!hasBubblewrap, "bubblewrap is not installed here");
	const model = new ScriptedModel(...Array.from({ length: 40 }, () => reply));
	const config = { auth: "token", sandbox: "required" } as const;
	return TestGateway.start({ config, model, ...(clock && { clock }) });
}

function connect(gateway: TestGateway, token: string): Promise<OzzieClient> {
	return OzzieClient.connect(gateway.url, { headers: { authorization: `Bearer ${token}` } });
}

interface Channel extends AsyncDisposable {
	readonly operator: OzzieClient;
	readonly connector: OzzieClient;
	readonly session: string;
	again(): Promise<OzzieClient>;
	as(user: string, shared?: boolean): object;
	/** Sends a message as `user`. Returns whether the message's call required approval. Denies the approval. */
	asks(user: string, content?: string): Promise<boolean>;
}

async function channel(gateway: TestGateway): Promise<Channel> {
	const operator = await connect(gateway, (await readOperatorToken(gateway.path("data"))) ?? "");
	const grantRequest = { kind: "connector", name: "discord", platform: "discord", tenants: ["111"] };
	const { token } = await operator.call("create_token", grantRequest);
	for (const [user, role] of [
		["ada", "member"],
		["bob", "owner"],
		["gus", "guest"],
	]) {
		await operator.call("set_person_role", { person: `discord:111:${user}`, role });
	}
	const connector = await connect(gateway, String(token));
	const as = (user: string, shared = false) => ({
		actor: { id: user, name: user },
		place: { tenant: "111", channel: "c", shared },
	});
	const { session_id } = await connector.call("open_session", as("ada"));
	return {
		...{ operator, connector, session: String(session_id), as },
		again: () => connect(gateway, String(token)),
		async asks(user, content = "run: true") {
			await connector.call("send_message", { content, ...as(user) });
			for (let isRepeated = false; ; ) {
				const { event, payload } = await connector.event();
				if (event === "assistant.message") return isRepeated;
				if (event !== "prompt.request") continue;
				isRepeated = true;
				await connector.call("prompt_response", { token: payload["token"], cancelled: true, ...as(user) });
			}
		},
		async [Symbol.asyncDispose]() {
			await operator.leave();
			await connector.leave();
		},
	};
}

verifiesOn(
	"ozzie",
	["grant.operator", "grant.badge", "grant.floor", "grant.scope"],
	"calls in a channel that the operator trusts run without approval, with a badge",
	async (context) => {
		await using gateway = await start(context);
		await using c = await channel(gateway);
		expect(await c.asks("ada")).toBe(true);
		const grantRequest = { channel: place, tools: ["run_command"], reason: "release" };
		const { grant } = (await c.operator.call("request_grant", grantRequest)) as {
			grant: Record<string, unknown>;
		};
		expect(grant).toMatchObject({
			place,
			granted_by: "operator",
			max_actions: 200,
			used_actions: 0,
			people: null,
		});
		await expect(c.connector.event("grant.created")).resolves.toMatchObject({ payload: grant });
		const trusted = { grant_id: grant["grant_id"], until: grant["expires_at"] };
		await c.connector.call("send_message", { content: "run: true", ...c.as("ada") });
		const started = await c.connector.event("tool.call", { status: "started" });
		expect(started.payload).toMatchObject({ trusted });
		await c.connector.event("tool.call", { status: "completed" });
		const ended = await c.connector.event("assistant.message");
		expect(ended.payload["context"]).toMatchObject({ trusted });
		const { grants } = await c.connector.call("list_grants", c.as("ada"));
		expect(grants).toEqual([{ ...grant, used_actions: 1 }]);
		expect(await c.asks("ada", "write: a.txt")).toBe(true);
		expect(await c.asks("ada", "run: crontab -l")).toBe(true);
		const own = await c.operator.call("open_session");
		await c.operator.call("send_message", { content: "run: true" }, { session_id: own["session_id"] });
		const { payload } = await c.operator.event("prompt.request");
		expect(payload["context"]).toMatchObject({ tool: "run_command" });
	},
);

verifiesOn(
	"ozzie",
	["grant.request"],
	"a member requests a grant, an owner of the guild gives it, and a guest may refuse",
	async (context) => {
		await using gateway = await start(context);
		await using c = await channel(gateway);
		const ask = { reason: "tests", minutes: 30, ...c.as("ada") };
		expect(await c.connector.refusal("request_grant", { ...ask, ...c.as("gus") })).toMatch(/^forbidden/);
		const first = await c.connector.call("request_grant", ask);
		expect(first).toEqual({ status: "requested", token: expect.any(String), session_id: c.session });
		const { payload } = await c.connector.event("prompt.request");
		expect(payload).toMatchObject({ type: "confirm", token: first["token"] });
		expect(payload["label"]).toContain("Trust discord:111:c for 30 min");
		const { token } = first;
		const answer = (user: string, decision: object) => ({ token, ...decision, ...c.as(user) });
		expect(await c.connector.refusal("prompt_response", answer("ada", { value: true }))).toMatch(
			/^forbidden/,
		);
		expect(await c.connector.refusal("prompt_response", answer("bob", { cancelled: false }))).toMatch(
			/^invalid/,
		);
		await c.connector.call("prompt_response", answer("gus", { cancelled: true }));
		await c.connector.event("prompt.response", { cancelled: true });
		const second = await c.connector.call("request_grant", ask);
		const yes = { token: second["token"], value: true, ...c.as("bob") };
		await c.connector.call("prompt_response", yes);
		const created = await c.connector.event("grant.created");
		expect(created.payload).toMatchObject({ granted_by: "discord:111:bob", reason: "tests" });
		const { records } = (await c.operator.call("read_audit", { principal: "discord:111:bob" })) as {
			records: { action: string; grant_id?: string }[];
		};
		expect(records.find(({ action }) => action === "grant.create")?.grant_id).toBe(
			created.payload["grant_id"],
		);
		expect(await c.asks("ada")).toBe(false);
	},
);

verifiesOn(
	"ozzie",
	["grant.requests", "grant.reconnected", "grant.unseen"],
	"a grant is requested without an open session, and all who may see it are notified",
	async (context) => {
		await using gateway = await start(context);
		await using c = await channel(gateway);
		const token = await c.operator.call("create_token", {
			kind: "connector",
			name: "two",
			platform: "discord",
		});
		const other = await connect(gateway, String(token["token"]));
		const request = { reason: "tests", minutes: 30, tools: ["run_command"], ...c.as("ada") };
		expect(await other.refusal("request_grant", request)).toContain("discord:111:c has no session yet");
		await other.call("open_session", {
			actor: { id: "bob" },
			place: { tenant: "111", channel: "elsewhere" },
		});
		expect(await other.refusal("request_grant", request)).toContain("discord:111:c has no session yet");
		await other.leave();
		const reconnected = await c.again();
		const requested = await reconnected.call("request_grant", { key: "wish", ...request });
		expect(requested).toEqual({ status: "requested", token: expect.any(String), session_id: c.session });
		await reconnected.call("resume", { sessions: [{ session_id: c.session }] });
		expect(await reconnected.call("request_grant", { key: "wish", ...request })).toEqual(requested);
		const shown = {
			...{ token: requested["token"], session_id: c.session, place, person: "discord:111:ada", name: "ada" },
			...{ people: null, tools: ["run_command"], classes: null, max_actions: 200, minutes: 30 },
			...{ reason: "tests", created_at: expect.any(String), expires_at: expect.any(String) },
		};
		expect(await c.operator.call("list_grants", {})).toEqual({ grants: [], wishes: [shown] });
		expect(await reconnected.call("list_grants", c.as("gus"))).toEqual({ grants: [], wishes: [shown] });
		const observer = await c.operator.call("create_token", { kind: "observer", name: "wall" });
		const wall = await connect(gateway, String(observer["token"]));
		const { wishes } = (await wall.call("list_grants", {})) as { wishes: { token: string }[] };
		expect(wishes).toEqual([{ ...shown, token: expect.stringMatching(/^hidden_/) }]);
		await c.operator.call("prompt_response", { token: requested["token"], value: true });
		expect(await c.operator.call("list_grants", {})).toMatchObject({ grants: [{ place }], wishes: [] });
		const mistyped = { channel: "discord:111:d", reason: "r" };
		expect(await c.operator.refusal("request_grant", mistyped)).toContain("discord:111:d has no session yet");
		const granted = await c.operator.call("request_grant", { ...mistyped, unseen: true });
		expect(granted).toMatchObject({ status: "granted", grant: { place: "discord:111:d" } });
		for (const client of [reconnected, wall]) await client.leave();
	},
);

verifiesOn(
	"ozzie",
	["grant.budget", "grant.revoke"],
	"a grant ends after its calls, at its expiry, and when it is revoked",
	async (context) => {
		const clock = new ManualClock();
		await using gateway = await start(context, clock);
		await using c = await channel(gateway);
		const grant = async (more: object): Promise<unknown> => {
			const grantRequest = { channel: place, reason: "r", ...more };
			const answer = (await c.operator.call("request_grant", grantRequest)) as {
				grant: { grant_id: string };
			};
			await c.connector.event("grant.created");
			return answer.grant.grant_id;
		};
		await grant({ max_actions: 1 });
		expect(await c.asks("ada")).toBe(false);
		await grant({ minutes: 1 });
		for (let quarter = 0; quarter < 4; quarter++) {
			clock.advance(15_000);
			for (const client of [c.operator, c.connector]) await client.call("whoami", {});
		}
		await c.connector.event("grant.ended", { reason: "expired" });
		expect(await c.asks("ada")).toBe(true);
		const grant_id = await grant({});
		expect(await c.connector.refusal("revoke_grant", { grant_id, ...c.as("gus") })).toMatch(/^forbidden/);
		await c.connector.call("revoke_grant", { grant_id, reason: "enough", ...c.as("ada") });
		const reason = "revoked by discord:111:ada: enough";
		await c.connector.event("grant.ended", { grant_id, reason });
		expect(await c.asks("ada")).toBe(true);
		expect(await c.operator.call("list_grants", {})).toEqual({ grants: [], wishes: [] });
		const { grants } = (await c.operator.call("list_grants", { ended: true })) as { grants: object[] };
		expect(grants).toHaveLength(3);
		expect(grants[0]).toMatchObject({ grant_id, end_reason: reason, ended_at: expect.any(String) });
		expect(await c.operator.refusal("revoke_grant", { grant_id: "grant_x" })).toContain(
			"grant not found: grant_x; use an id from the list of grants",
		);
	},
);

verifiesOn(
	"ozzie",
	["grant.no-access"],
	"a person without access or another organisation ends a grant",
	async (context) => {
		await using gateway = await start(context);
		await using c = await channel(gateway);
		const grantRequest = { channel: place, reason: "r" };
		for (const [origin, why] of [
			[c.as("eve"), "a person without access wrote in it"],
			[c.as("ada", true), "people from another organisation can read it"],
		] as const) {
			await c.operator.call("request_grant", grantRequest);
			await c.connector.event("grant.created");
			await c.connector.call("whoami", origin);
			await c.connector.event("grant.ended", { reason: why });
			expect(await c.asks("ada")).toBe(true);
		}
		const shared = { reason: "r", ...c.as("ada", true) };
		expect(await c.connector.refusal("request_grant", shared)).toContain("another organisation");
	},
);

verifiesOn(
	"ozzie",
	["grant.accept"],
	"a connector accepts all tools in a trusted channel only",
	async (context) => {
		await using gateway = await start(context);
		await using c = await channel(gateway);
		expect(await c.connector.refusal("accept_all_tools", c.as("bob"))).toMatch(/^forbidden/);
		await c.operator.call("request_grant", { channel: place, tools: ["write_file"], reason: "r" });
		expect(await c.connector.call("accept_all_tools", c.as("ada"))).toEqual({ status: "accepted" });
		expect(await c.connector.refusal("accept_all_tools", c.as("gus"))).toMatch(/^forbidden/);
		expect(await c.asks("ada")).toBe(true);
	},
);
