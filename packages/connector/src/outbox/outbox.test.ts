import { expect, test } from "vitest";
import { DeliveryError, type OutboxRow } from "../platform/surface.ts";
import { PostOffice } from "../testing/post-office.ts";

const failWith =
	(kind: DeliveryError["kind"], more: Partial<DeliveryError> = {}) =>
	() => {
		throw new DeliveryError(`it was ${kind}`, { kind, ...(more.limit ? { limit: more.limit } : {}) });
	};
const never = () => new Promise<never>(() => undefined);

test("a repeated plan of the same events adds no rows, and a cursor never decreases", async () => {
	const office = await PostOffice.open();
	const rows = [{ seq: 2, at: office.clock.now(), lane: "final", payload: "once" }] as const;
	const plan = { conversation: "general", cursor: { session: "sess_1", seq: 2 }, rows };
	for (const _ of [1, 2]) await office.outbox.plan(plan);
	await office.store.quiet();
	expect(office.shown).toEqual(["once"]);
	const back = { ...plan, cursor: { session: "sess_1", seq: 1 }, rows: [] };
	await expect(office.outbox.plan(back)).rejects.toMatchObject({
		code: "failed_precondition",
		message:
			"cannot plan posts of event 1 in session sess_1: the posts of this session are already planned up to event 2",
	});
});

test("a plan whose transaction is rolled back is never sent", async () => {
	const office = await PostOffice.open();
	const cursor = { session: "sess_1", seq: 1 };
	const row = { seq: 1, at: office.clock.now(), lane: "final", payload: "no" } as const;
	const refused = office.outbox.plan({ conversation: "general", cursor, rows: [row] }, async () => {
		throw new Error("the other half failed");
	});
	await expect(refused).rejects.toThrow("the other half failed");
	await office.store.quiet();
	expect(office.surface.calls).toEqual([]);
	expect(await office.outbox.cursor("sess_1")).toBe(0);
});

test("only the newest of many edits of a card is sent", async () => {
	const office = await PostOffice.open();
	await office.plan([{ lane: "milestone", card: "task", payload: 0 }]);
	const limit = { scope: "general", retryAfterMs: 5000 };
	office.surface.script.push(failWith("rate-limited", { limit }));
	for (const percent of [10, 20, 30])
		await office.plan([{ lane: "progress", card: "task", payload: percent }]);
	await office.pass(5000);
	expect(office.surface.calls).toEqual(["send 0", "edit 10", "edit 30"]);
});

test("an approval overtakes a waiting answer, and the parts of a text wait for its first part", async () => {
	const office = await PostOffice.open();
	const slow = Promise.withResolvers<undefined>();
	office.surface.script.push(() => slow.promise);
	await office.plan([{ payload: "part 1" }, { payload: "part 2" }]);
	await office.plan([{ lane: "milestone", payload: "milestone" }]);
	await office.plan([{ lane: "approval", payload: "may I?" }]);
	expect(office.shown).toEqual(["may I?"]);
	slow.resolve(undefined);
	await office.store.quiet();
	expect(office.shown).toEqual(["may I?", "part 1", "part 2", "milestone"]);
});

test("with limited capacity, the more urgent lane of another conversation goes first", async () => {
	const office = await PostOffice.open();
	office.surface.script.push(failWith("rate-limited", { limit: { scope: "all", retryAfterMs: 2000 } }));
	await office.plan([{ payload: "limited" }]);
	await office.plan([{ lane: "milestone", payload: "milestone" }], { conversation: "two" });
	await office.plan([{ lane: "acknowledgement", payload: "seen" }], { conversation: "three" });
	await office.plan([{ lane: "approval", payload: "may I?" }], { conversation: "four" });
	await office.pass(1999);
	expect(office.shown).toEqual([]);
	await office.pass(1);
	expect(office.shown).toEqual(["seen", "may I?", "limited", "milestone"]);
});

test("a bucket that a receipt reports as empty is not used until it is full again", async () => {
	const office = await PostOffice.open();
	office.surface.script.push((row) => ({
		...office.surface.carryOut(row),
		limits: [{ scope: "general", retryAfterMs: 3000 }],
	}));
	await office.plan([{ payload: 1 }, { payload: 2 }]);
	await office.pass(2999);
	expect(office.shown).toEqual([1]);
	await office.pass(1);
	expect(office.shown).toEqual([1, 2]);
});

test("a request interrupted by the end of the process is looked up before it is sent again", async () => {
	const office = await PostOffice.open();
	office.surface.script.push(never);
	await office.plan([{ payload: "once" }]);
	await office.restart();
	// The platform may still carry out a request. The post is treated as missing only after 15 s and two more lookups.
	await office.pass(15_000);
	await office.pass(5000);
	expect(office.shown).toEqual([]);
	await office.pass(500);
	const find = "find sess_1/1/0";
	expect(office.surface.calls).toEqual(['send "once"', find, find, find, 'send "once"']);
	expect(office.shown).toEqual(["once"]);
});

test.each([
	["that refuses a second post", 60_000, 125],
	["that does not", 0, 20_500],
])(
	"on a platform %s, a 503 before the commit delays a post of its window %i ms by %i ms",
	async (_, window, delay) => {
		const office = await PostOffice.open();
		office.surface.dedupeMs = window;
		office.surface.script.push(failWith("unknown"));
		const startedAt = office.clock.now();
		await office.plan([{ payload: "once" }, { payload: "twice" }]);
		while (office.shown.length === 0) await office.pass(125);
		expect(office.clock.now() - startedAt).toBe(delay);
		expect(office.shown).toEqual(["once", "twice"]);
	},
);

const afterCommit = (office: PostOffice) => (row: OutboxRow) => {
	office.surface.carryOut(row);
	throw new DeliveryError("503", { kind: "unknown" });
};

test("retries back off within the window, and after it the post is looked up", async () => {
	const office = await PostOffice.open();
	office.surface.dedupeMs = 60_000;
	const requestedAt: number[] = [];
	const startedAt = office.clock.now();
	const fail = (): never => {
		requestedAt.push(office.clock.now() - startedAt);
		return failWith("unknown")();
	};
	office.surface.script.push(...Array.from({ length: 20 }, () => fail), () => undefined);
	await office.plan([{ payload: "once" }]);
	while (office.clock.now() - startedAt < 60_000) await office.pass(125);
	expect(requestedAt.slice(0, 8)).toEqual([0, 125, 375, 875, 1875, 3875, 7875, 11_875]);
	expect(requestedAt.at(-1)).toBe(59_875);
	expect(office.surface.calls).toHaveLength(20);
	for (const ms of [4000, 15_000, 5000]) await office.pass(ms);
	const find = "find sess_1/1/0";
	expect(office.surface.calls.slice(20)).toEqual([find, find, find]);
	// All repeats belong to one attempt, so this wait is as short as after a first attempt.
	await office.pass(500);
	expect(office.shown).toEqual(["once"]);
});

test("a post before an error is not repeated, and later posts keep their order", async () => {
	const office = await PostOffice.open();
	office.surface.dedupeMs = 60_000;
	office.surface.script.push(afterCommit(office), failWith("unknown"));
	await office.plan([{ payload: 1 }, { payload: 2 }]);
	await office.pass(125);
	await office.pass(250);
	expect(office.shown).toEqual([1, 2]);
	expect(office.surface.calls).toEqual(["send 1", "send 1", "send 1", "send 2"]);
});

test.each(["rejected", "gone"] as const)(
	"a retry that is %s gives no result for the earlier request",
	async (kind) => {
		const office = await PostOffice.open();
		office.surface.dedupeMs = 60_000;
		office.surface.script.push(afterCommit(office), failWith(kind));
		await office.plan([{ payload: "once" }]);
		await office.pass(125);
		expect(office.surface.calls).toEqual(['send "once"', 'send "once"', "find sess_1/1/0"]);
		expect(await office.outbox.stuck(10)).toEqual([]);
		expect(office.shown).toEqual(["once"]);
	},
);

test("a retry waits for the time that the platform requests", async () => {
	const office = await PostOffice.open();
	office.surface.dedupeMs = 60_000;
	const limit = { scope: "general", retryAfterMs: 3000 };
	office.surface.script.push(afterCommit(office), failWith("rate-limited", { limit }));
	await office.plan([{ payload: "once" }]);
	await office.pass(125);
	await office.pass(2999);
	expect(office.surface.calls).toHaveLength(2);
	await office.pass(1);
	expect(office.surface.calls).toEqual(['send "once"', 'send "once"', 'send "once"']);
	expect(office.shown).toEqual(["once"]);
});

test.each([
	["within the window is sent again at once", 59_999, "send"],
	["after the window is looked up", 60_000, "find"],
])("a request of a killed process %s", async (_, passed, does) => {
	const office = await PostOffice.open();
	office.surface.dedupeMs = 60_000;
	office.surface.script.push(afterCommit(office), never);
	await office.plan([{ payload: "once" }]);
	await office.pass(125);
	office.clock.advance(passed - 125);
	await office.restart();
	expect(office.surface.calls.slice(2)).toEqual([does === "send" ? 'send "once"' : "find sess_1/1/0"]);
	expect(office.shown).toEqual(["once"]);
	await office.pass(60_000);
	expect(await office.store.read((db) => db.selectFrom("outbox").select("state").execute())).toEqual([
		{ state: "confirmed" },
	]);
});

test("after a loss of the database, only posts that a lookup does not find are posted", async () => {
	const before = await PostOffice.open();
	await before.plan([{ payload: "one" }]);
	const after = await PostOffice.open();
	after.surface.posts.push(...before.surface.posts);
	await after.plan([{ payload: "one" }], { replayed: true });
	await after.plan([{ payload: "two" }], { replayed: true });
	expect(after.shown).toEqual(["one"]);
	// After 15 s, a request of the earlier process can no longer arrive.
	await after.pass(15_000);
	expect(after.shown).toEqual(["one", "two"]);
	expect(after.surface.calls).toEqual([
		"find sess_1/1/0",
		"find sess_1/2/0",
		"find sess_1/2/0",
		'send "two"',
	]);
});

test("a post that the platform refuses is dead with its reason, and later posts continue", async () => {
	const office = await PostOffice.open();
	office.surface.script.push(failWith("rejected"), failWith("gone"));
	await office.plan([{ payload: 1 }, { payload: 2 }, { payload: 3 }]);
	expect(office.shown).toEqual([3]);
	expect(await office.outbox.stuck(10)).toMatchObject([
		{ id: "sess_1/1/1", state: "dead", reason: "it was gone" },
		{ id: "sess_1/1/0", state: "dead", reason: "it was rejected" },
	]);
	expect(office.log.records.filter(({ level }) => level === "error")).toHaveLength(2);
});

test("if a lookup is permanently impossible, a person decides, and only the rest of the event waits", async () => {
	const office = await PostOffice.open();
	office.surface.script.push(failWith("unknown"), failWith("rejected"));
	await office.plan([{ payload: 1 }, { payload: 2 }]);
	await office.plan([{ payload: "next" }]);
	expect(office.shown).toEqual(["next"]);
	const [undecided] = await office.outbox.stuck(10);
	expect(undecided?.reason).toBe(
		"the connector cannot check whether the post was sent: it was rejected; look for the post in its channel, then send or drop it",
	);
	await office.outbox.decide("sess_1/1/0", { send: false, by: "ada" });
	await office.store.quiet();
	expect(office.shown).toEqual(["next", 2]);
	expect(await office.outbox.stuck(10)).toMatchObject([{ state: "dead", reason: "dropped by ada" }]);
	await expect(office.outbox.decide("sess_1/1/0", { send: true, by: "bob" })).rejects.toMatchObject({
		code: "failed_precondition",
	});
	await expect(office.outbox.decide("nothing", { send: true, by: "bob" })).rejects.toMatchObject({
		code: "not_found",
	});
});

test("a dead answer is sent after a decision and a lookup, unless its card has newer content", async () => {
	const office = await PostOffice.open();
	office.surface.script.push(failWith("rejected"), failWith("rejected"), failWith("rejected"));
	await office.plan([{ payload: "one" }]);
	await office.plan([{ payload: "two", lane: "milestone" }]);
	await office.plan([{ payload: "three", card: "answer" }]);
	await office.plan([{ payload: "four", card: "answer" }]);
	expect(office.shown).toEqual(["four"]);
	expect(await office.outbox.stuck(10)).toHaveLength(3);
	const again = { send: true, by: "ada" };
	for (const [id, decision, words] of [
		["sess_1/2/0", again, "cannot send post sess_1/2/0 in the state"],
		["sess_1/3/0", again, "a newer post"],
		["sess_1/1/0", { ...again, send: false }, 'cannot drop post sess_1/1/0 in the state "dead"'],
	] as const) {
		await expect(office.outbox.decide(id, decision)).rejects.toThrow(words);
	}
	await office.outbox.decide("sess_1/1/0", again);
	await office.pass(0);
	expect(office.shown).toEqual(["four"]);
	await office.pass(15_000);
	await office.pass(5_000);
	await office.pass(1_000);
	expect(office.shown).toEqual(["four", "one"]);
	await expect(office.outbox.decide("sess_1/1/0", again)).rejects.toThrow(
		'cannot send post sess_1/1/0 in the state "confirmed"',
	);
	await office.outbox.stop();
	await office.store.close();
});

test("a conversation on hold sends only posts whose requests had started", async () => {
	const office = await PostOffice.open();
	office.surface.script.push(failWith("rate-limited", { limit: { scope: "general", retryAfterMs: 1000 } }));
	await office.plan([{ payload: 1 }, { payload: 2 }]);
	expect(await office.outbox.pause("general", "the channel became public")).toBe(2);
	await office.pass(60_000);
	expect(office.shown).toEqual([]);
	for (const id of ["sess_1/1/0", "sess_1/1/1"]) await office.outbox.decide(id, { send: true, by: "ada" });
	await office.store.quiet();
	expect(office.shown).toEqual([1, 2]);
});

test("a post older than a day needs a decision", async () => {
	const office = await PostOffice.open();
	const at = office.clock.now() - 24 * 3_600_000 - 1;
	await office.plan([{ payload: "last week", at }]);
	expect(office.shown).toEqual([]);
	await office.outbox.decide("sess_1/1/0", { send: true, by: "operator" });
	await office.store.quiet();
	expect(office.shown).toEqual(["last week"]);
});

test("a receipt that cannot be stored at once is stored later, and no post is sent again", async () => {
	const office = await PostOffice.open();
	office.surface.script.push((row) => {
		office.store.refusals = 2;
		return office.surface.carryOut(row);
	});
	await office.plan([{ payload: 1 }, { payload: 2 }]);
	for (const _ of [1, 2]) await office.pass(1000);
	expect(office.surface.calls).toEqual(["send 1", "send 2"]);
});

test("typing is shown only without other requests, and is not stored", async () => {
	const office = await PostOffice.open();
	await office.outbox.typing("general");
	office.surface.script.push(never);
	await office.plan([{ payload: 1 }]);
	await office.outbox.typing("general");
	await office.outbox.typing("random");
	expect(office.surface.calls).toEqual(["typing general", "send 1", "typing random"]);
	const rows = await office.store.read((db) => db.selectFrom("outbox").select("lane").execute());
	expect(rows).toEqual([{ lane: "final" }]);
});

test("a progress row without a card, and a row after the cursor, are refused", async () => {
	const office = await PostOffice.open();
	await expect(office.plan([{ lane: "progress" }])).rejects.toMatchObject({ code: "invalid_argument" });
	await expect(office.plan([{ seq: 9 }])).rejects.toThrow(
		"cannot plan a row of event 9, because this event is later than the cursor (event 2)",
	);
});

test("a stopped outbox waits for the responses to its requests and sends no others", async () => {
	const office = await PostOffice.open();
	const slow = Promise.withResolvers<undefined>();
	office.surface.script.push(() => slow.promise);
	await office.plan([{ payload: 1 }, { payload: 2 }]);
	const stopped = office.outbox.stop();
	slow.resolve(undefined);
	await stopped;
	expect(office.shown).toEqual([1]);
	expect(office.clock.pending).toBe(0);
});
