import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { ManualClock, openPgliteStore } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { RequestedGrant } from "../conversation/grants/channel-grants.ts";
import { migrations } from "../store/migrations/migrations.ts";
import type { Tables } from "../store/tables.ts";
import { EventLog } from "../testing/event-log.ts";
import { noSandboxes } from "../testing/no-sandboxes.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { noChat } from "../vocabulary/chat-settings.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";
import type { Sandboxes } from "../vocabulary/sandbox.ts";

const place = "discord:guild:general";
const hour = 60 * 60 * 1000;
const member = testConnector("member");
const chat = { ...noChat, tenants: { discord: ["guild"] } };

const engines: readonly [string, (directory: string) => Promise<Store<Tables>>][] = [
	["SQLite", (directory) => openSqliteStore<Tables>({ file: join(directory, "trust.sqlite"), migrations })],
	["PostgreSQL", () => openPgliteStore<Tables>({ migrations })],
];

function newRequest(options: Partial<RequestedGrant> = {}): RequestedGrant {
	const all = { people: null, tools: null, classes: null };
	return { place, ...all, maxActions: 200, lifeMs: 4 * hour, reason: "release", ...options };
}

function confined(clock: ManualClock): Sandboxes {
	const none = noSandboxes(clock);
	const state = { ...none.state, chat: "bubblewrap" } as const;
	return { ...none, state, check: async () => state };
}

async function opened(database: Store<Tables>): Promise<TestRuntime> {
	const replies = Array.from({ length: 20 }, (_, n) =>
		n % 2 === 0 ? [calls(`c${n}`, "edit", { n })] : [says("done")],
	);
	const clock = new ManualClock();
	const tools = [probeTool("edit", { classes: ["write"] })];
	const model = new ScriptedModel(...replies);
	const t = await TestRuntime.open({ model, tools, clock, chat, database, sandbox: confined(clock) });
	await t.runtime.start();
	return t;
}

/** Denies all approval requests of the run, and returns whether there were any. */
async function asks(t: TestRuntime, log: EventLog, session: string): Promise<boolean> {
	await t.runtime.send(unkeyed(member), session, { content: "go" });
	for (let isRepeated = false; ; isRepeated = true) {
		const event = await log.next("prompt.requested", "assistant.message");
		if (event.type === "assistant.message") return isRepeated;
		await t.runtime.answer(unkeyed(), event.prompt.token, { cancelled: true });
	}
}

test.each(engines)("grants apply, end and are listed in the same way on %s", async (_engine, open) => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-trust-"));
	await using t = await opened(await open(directory.path));
	const { grants } = t.runtime.trust;
	await expect(grants.request(unkeyed(), newRequest())).rejects.toThrow(
		"discord:guild:general has no session yet",
	);
	const session = await t.create(member);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await grants.request(
		unkeyed(),
		newRequest({ maxActions: 1, tools: ["edit"], people: ["discord:guild:ada"] }),
	);
	expect(await asks(t, log, session)).toBe(false);
	expect(await grants.list(operator, false)).toEqual([]);
	const [used] = await grants.list(operator, true);
	expect(used).toMatchObject({
		place,
		usedActions: 1,
		tools: ["edit"],
		endReason: "the only call is used up",
	});
	await grants.request(unkeyed(), newRequest());
	await grants.request(unkeyed(), newRequest({ reason: "again" }));
	expect(await grants.list(member, false)).toMatchObject([{ reason: "again", maxActions: 200 }]);
	expect(await grants.list({ ...operator, id: "x", kind: "observer", sessions: [] }, true)).toEqual([]);
	await grants.revoke(unkeyed(), (await grants.list(operator, false))[0]?.id ?? "", "over");
	expect(await asks(t, log, session)).toBe(true);
	const ended = (await grants.list(operator, true)).map(({ endReason }) => endReason);
	expect(ended.sort()).toEqual([
		"a newer grant replaces it",
		"revoked by operator: over",
		"the only call is used up",
	]);
	await grants.request(unkeyed(), newRequest());
	t.clock.advance(4 * hour);
	await t.settle();
	await grants.review(place);
	expect(await grants.list(operator, false)).toEqual([]);
	expect(await t.runtime.trust.auditLog.verify(operator)).toMatchObject({ ok: true });
});

test.each(engines)(
	"a grant request is found by its channel, listed and answered in the same way on %s",
	async (_engine, open) => {
		await using directory = await mkdtempDisposable(join(tmpdir(), "parley-trust-"));
		await using t = await opened(await open(directory.path));
		const { grants } = t.runtime.trust;
		await expect(grants.request(unkeyed(member), newRequest())).rejects.toThrow(
			"send a message in the channel first",
		);
		const [first, second] = [await t.create(member), await t.create(member)];
		t.clock.advance(1_000);
		await t.runtime.send(unkeyed(member), second, { content: "hello" });
		// A reconnected connector names no session, or may name the open session of another channel.
		const elsewhere = await t.create();
		const requested = await grants.request(unkeyed(member), newRequest(), { current: elsewhere });
		expect(requested).toMatchObject({ status: "requested", sessionId: second });
		const beside = await grants.request(unkeyed(member), newRequest({ lifeMs: hour }), { current: first });
		expect(beside).toMatchObject({ status: "requested", sessionId: first });
		const there: Principal = {
			...member,
			...(member.person && {
				person: { ...member.person, place: { ...member.person.place, channel: "other" } },
			}),
		};
		expect(await grants.requests(there)).toEqual([]);
		const requests = await grants.requests(operator);
		expect(requests.map(({ sessionId }) => sessionId).sort()).toEqual([first, second].sort());
		const grantRequest = requests.find(({ sessionId }) => sessionId === first);
		expect(grantRequest?.requested).toEqual({
			...newRequest({ lifeMs: hour }),
			by: { id: "discord:guild:ada", name: "Ada" },
		});
		await t.runtime.answer(unkeyed(), grantRequest?.token ?? "", { value: true });
		expect(await grants.list(operator, false)).toMatchObject([{ place, grantedBy: "operator" }]);
		expect(JSON.stringify(await grants.list(operator, false))).not.toContain('"by"');
		const left = await grants.requests(member);
		expect(left).toHaveLength(1);
		await t.runtime.answer(unkeyed(), left[0]?.token ?? "", { cancelled: true });
		expect(await grants.requests(operator)).toEqual([]);
	},
);

test.each(engines)("people, codes and channel settings are the same on %s", async (_engine, open) => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-trust-"));
	await using t = await opened(await open(directory.path));
	const { people, places, tokens } = t.runtime.trust;
	const { code } = await people.invite(unkeyed(), { role: "owner", platform: "discord" });
	const eve = {
		actor: { id: "eve", name: "Eve", roles: [], guest: false },
		place: { tenant: "guild", channel: "c", shared: false },
	};
	const connector: Principal = { id: "connector:discord", kind: "connector", platform: "discord" };
	const author = await people.identify(connector, eve, "pair");
	expect(await people.pair(unkeyed(author), undefined)).toMatchObject({ status: "requested" });
	const { waiting } = await people.list(operator);
	expect(waiting.map(({ kind }) => kind).sort()).toEqual(["invitation", "request"]);
	const request = waiting.find(({ kind }) => kind === "request");
	expect(await people.withdraw(unkeyed(), request?.id ?? "")).toEqual(request);
	expect(await people.pair(unkeyed(author), code)).toMatchObject({ status: "paired", role: "owner" });
	expect(await people.setRole(unkeyed(), "discord:guild:eve", "guest")).toMatchObject({ role: "guest" });
	await places.set(unkeyed(), place, { mention: "always", budget: 5 });
	await places.set(unkeyed(), place, { budget: 6 });
	expect(await places.list(operator)).toEqual([{ key: place, profile: { budget: 6 }, source: "operator" }]);
	await places.remove(unkeyed(), place);
	const { facts, text } = await tokens.create(unkeyed(), { kind: "observer", name: "wall" });
	expect(tokens.verify(text)).toMatchObject({ kind: "observer" });
	await tokens.revoke(unkeyed(), facts.id);
	expect(tokens.verify(text)).toBeUndefined();
	await people.remove(unkeyed(), "discord:guild:eve");
	expect((await people.list(operator)).people).toEqual([]);
});
