import { expect, test } from "vitest";
import { DeliveryError } from "../platform/surface.ts";
import { playScene } from "../testing/scene.ts";
import type { Stage } from "../testing/stage.ts";

const edits = ({ platform }: Stage): string[] =>
	platform.surface.calls.filter((call) => call.startsWith("edit"));

test("the first words are posted within a second with a stop button, and grow in the same post", async () => {
	await playScene([
		{ says: "hello" },
		{ gateway: { streams: "Let me " } },
		{ passes: 1000 },
		{ shows: ["Let me [Stop]"] },
		{ gateway: { streams: "think." } },
		{ passes: 2000 },
		{ shows: ["Let me think. [Stop]"] },
		{ gateway: { answers: "Let me think. Yes." } },
		{ shows: ["Let me think. Yes. [Good] [Bad] [Again]"] },
	]);
});

async function editsOfTwelveSeconds(stage: Stage): Promise<number> {
	const before = edits(stage).length;
	for (let passed = 0; passed < 12_000; passed += 100) {
		stage.gateway.newest.stream("word ");
		stage.clock.advance(100);
		await stage.quiet();
	}
	return edits(stage).length - before;
}

test("an answer grows by an edit every one to two seconds, less often after refusals, and without outbox rows", async () => {
	const stage = await playScene([{ says: "hello" }, { gateway: { streams: "One " } }, { passes: 1000 }]);
	const usual = await editsOfTwelveSeconds(stage);
	expect(usual).toBeGreaterThanOrEqual(6);
	expect(usual).toBeLessThanOrEqual(12);
	const rows = await stage.store.read((db) => db.selectFrom("outbox").select("lane").execute());
	expect(rows).toEqual([{ lane: "milestone" }]);
	const refuse = (): never => {
		throw new DeliveryError("wait", {
			kind: "rate-limited",
			limit: { scope: "another scope", retryAfterMs: 1 },
		});
	};
	stage.platform.surface.script.push(...Array.from({ length: 50 }, () => refuse));
	expect(await editsOfTwelveSeconds(stage)).toBeLessThanOrEqual(4);
});

test("an answer that is complete at once is one post without edits", async () => {
	const stage = await playScene([
		{ says: "hello" },
		{ gateway: { streams: "Yes" } },
		{ gateway: { answers: "Yes." } },
		{ passes: 5000 },
		{ shows: ["Yes."] },
	]);
	expect(edits(stage)).toEqual([]);
});

test("text before a tool call stays in the answer, and each call is one line with its state", async () => {
	await playScene([
		{ says: "fix it" },
		{ gateway: { streams: "I read the file." } },
		{ gateway: { replies: "I read the file." } },
		{ gateway: { calls: "edit_file", id: "c1", input: { path: "/secret/notes.md" } } },
		{ passes: 1000 },
		{ shows: ["I read the file.\n\n⏳ edit_file notes.md"] },
		{ passes: 4000 },
		{ gateway: { returns: "c1" } },
		{ gateway: { calls: "run_command", id: "c2", input: { command: "make" } } },
		{ gateway: { returns: "c2", failed: true } },
		{ passes: 6000 },
		{ shows: ["✅ edit_file notes.md · 5 s"] },
		{ shows: ["❌ run_command"] },
		{ gateway: { answers: "It is fixed." } },
		{ shows: ["I read the file.\n\nIt is fixed."] },
	]);
});

test.each([
	["off", undefined],
	["text", "Reading."],
	["tools", "⏳ run_command"],
	["everything", "⏳ run_command make all"],
] as const)("a channel with the level %s shows that part of an active run", async (live, shown) => {
	await playScene([
		{
			does: ({ gateway }) =>
				void gateway.facts.set("guild:general", { mention: "required", sessions: "shared", live }),
		},
		{ says: "build", in: "general", mentions: "us" },
		{ gateway: { replies: "Reading." } },
		{ gateway: { calls: "run_command", id: "c1", input: { command: "make all" } } },
		{ passes: 1000 },
		{ in: "general", shows: shown === undefined ? [] : [shown] },
		{ gateway: { answers: "Done." } },
		{ in: "general", shows: ["Reading.\n\nDone."] },
	]);
});

test("a restarted process continues in the same post, and the end replaces its content", async () => {
	await playScene([
		{ says: "hello" },
		{ gateway: { streams: "One " } },
		{ passes: 1000 },
		{ restarts: true },
		{ gateway: { streams: "two " } },
		{ passes: 3000 },
		{ shows: ["One two"] },
		{ restarts: true },
		{ gateway: { answers: "One two three." } },
		{ passes: 20_000 },
		{ shows: ["One two three. [Good]"] },
	]);
});

test("after a loss of the database, the end finds the post that had grown", async () => {
	await playScene([
		{ says: "hello" },
		{ gateway: { streams: "One " } },
		{ passes: 1000 },
		{ gateway: { streams: "two " } },
		{ passes: 3000 },
		{ losesDatabase: true },
		{ gateway: { answers: "One two three." } },
		{ passes: 60_000 },
		{ shows: ["One two three. [Good]"] },
	]);
});

test("a process that follows a process without a database also finds the post that had grown", async () => {
	await playScene([
		{ says: "hello" },
		{ gateway: { streams: "One " } },
		{ passes: 3000 },
		{ losesDatabase: true },
		{ does: ({ gateway }) => gateway.newest.record("session.renamed", { title: "One", by: "model" }) },
		{ passes: 1000 },
		{ restarts: true },
		{ gateway: { answers: "One two three." } },
		{ passes: 60_000 },
		{ shows: ["One two three. [Good]"] },
	]);
});

test("an edit without a response does not replace the final answer", async () => {
	let arrive: (() => void) | undefined;
	const stage = await playScene([
		{ says: "hello" },
		{ gateway: { streams: "One " } },
		{ passes: 1000 },
		{
			does: ({ platform: { surface } }) => {
				surface.script.push((row) => {
					arrive = () => void surface.carryOut(row);
					throw new DeliveryError("timed out", { kind: "unknown" });
				});
			},
		},
		{ gateway: { streams: "two " } },
		{ passes: 2000 },
		{ gateway: { answers: "One two three." } },
		{ passes: 5000 },
	]);
	arrive?.();
	await playScene([{ passes: 15_000 }, { shows: ["One two three. [Good]"] }], stage);
});

test("a rate limit delays the growth, and not the final answer", async () => {
	const stage = await playScene([
		{ says: "hello" },
		{ gateway: { streams: "One " } },
		{ passes: 1000 },
		{
			does: ({ platform: { surface } }) => {
				surface.script.push(() => {
					const limit = { scope: "edits", retryAfterMs: 4000 };
					throw new DeliveryError("wait", { kind: "rate-limited", limit });
				});
			},
		},
		{ gateway: { streams: "two " } },
		{ passes: 2000 },
		{ shows: ["One [Stop]"] },
		{ gateway: { answers: "One two three." } },
		{ shows: ["One two three."] },
	]);
	expect(stage.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("the answer gets a new post if a person has deleted the growing one", async () => {
	await playScene([
		{ says: "hello" },
		{ gateway: { streams: "One " } },
		{ passes: 1000 },
		{
			does: ({ platform: { surface } }) => {
				surface.posts.pop();
				surface.script.push(() => {
					throw new DeliveryError("unknown message", { kind: "gone" });
				});
			},
		},
		{ gateway: { answers: "One two." } },
		{ passes: 2000 },
		{ shows: ["One two. [Good]"] },
	]);
});

test("an answer that the platform refuses is one stuck post, although it was already growing", async () => {
	const refuse = (): never => {
		throw new DeliveryError("not in the channel", { kind: "rejected" });
	};
	const stage = await playScene([
		{ says: "hello" },
		{ does: ({ platform: { surface } }) => void surface.script.push(refuse, refuse) },
		{ gateway: { streams: "One " } },
		{ passes: 1000 },
		{ gateway: { streams: "two " } },
		{ passes: 2000 },
		{ gateway: { answers: "One two." } },
		{ passes: 2000 },
		{ shows: [] },
	]);
	const { stuck } = await stage.connector.status();
	expect(stuck).toMatchObject([{ lane: "final", state: "dead", reason: "not in the channel" }]);
	expect(stage.log.records.filter(({ level }) => level === "error")).toHaveLength(1);
});

test("a long answer continues in another post, and unneeded posts are deleted at the end", async () => {
	const long = "A sentence of some length. ".repeat(120);
	const stage = await playScene([
		{ says: "hello" },
		{ gateway: { streams: long } },
		{ passes: 3000 },
		{ does: (at) => expect(at.posts(at.room()).length).toBeGreaterThan(1) },
		{ gateway: { answers: "Short after all." } },
		{ passes: 20_000 },
		{ shows: ["Short after all."] },
	]);
	expect(stage.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test.each([
	["while the run works", []],
	["after the end of the run", [{ gateway: { answers: "Short after all." } }]],
] as const)("after a loss of the database %s, unneeded posts are deleted", async (_, ends) => {
	const answers = [{ gateway: { answers: "Short after all." } }] as const;
	await playScene([
		{ says: "hello" },
		{ gateway: { streams: "A sentence of some length. ".repeat(120) } },
		{ passes: 3000 },
		{ does: (at) => expect(at.posts(at.room()).length).toBeGreaterThan(1) },
		...(ends.length > 0 ? [{ gateway: "goes away" } as const] : []),
		...ends,
		{ losesDatabase: true },
		{ gateway: "comes back" },
		...(ends.length > 0 ? [] : answers),
		{ passes: 60_000 },
		{ shows: ["Short after all. [Good]"] },
	]);
});

test("a session that is deleted during a run leaves no unfinished answer", async () => {
	await playScene([
		{ says: "hello" },
		{ gateway: { streams: "One " } },
		{ passes: 1000 },
		{
			does: ({ gateway }) => {
				gateway.newest.deleted = "heard";
				gateway.changed();
			},
		},
		{ passes: 5000 },
		{ shows: ["This conversation was deleted"] },
	]);
});

test("a question is below the text before it, and the answer grows below the question", async () => {
	await playScene([
		{ says: "delete it" },
		{ gateway: { streams: "I delete it now." } },
		{ passes: 1000 },
		{ shows: ["I delete it now. [Stop]"] },
		{ gateway: { replies: "I delete it now." } },
		{ gateway: { calls: "run_command", id: "call_1" } },
		{ gateway: { asks: { token: "q1" } } },
		{ passes: 5000 },
		{ shows: ["I delete it now.", "[Approve once]"] },
		{
			does: ({ gateway }) =>
				gateway.newest.record("prompt.response", { token: "q1", value: true, cancelled: false, by: "owner" }),
		},
		{ passes: 3000 },
		{ shows: ["I delete it now.", "", "⏳ run_command [Stop]"] },
		{ gateway: { returns: "call_1" } },
		{ gateway: { answers: "Deleted." } },
		{ shows: ["I delete it now.", "", "Deleted. [Good]"] },
	]);
});

test("an answer does not grow below an open question, and the calls of that time are shown after it", async () => {
	await playScene([
		{ says: "prepare it" },
		{ gateway: { streams: "I need a port." } },
		{ passes: 1000 },
		{ gateway: { replies: "I need a port." } },
		{ gateway: { calls: "ask_user", id: "call_1" } },
		{ gateway: { calls: "read_file", id: "call_2" } },
		{ gateway: { asks: { token: "q1" } } },
		{ passes: 5000 },
		{ gateway: { returns: "call_2" } },
		{ passes: 60_000 },
		{ shows: ["I need a port.", "[Approve once]"] },
		{
			does: ({ gateway }) =>
				gateway.newest.record("prompt.response", { token: "q1", value: true, cancelled: false, by: "owner" }),
		},
		{ passes: 3000 },
		{ shows: ["I need a port.", "", "✅ read_file"] },
		{ gateway: { returns: "call_1" } },
		{ gateway: { answers: "Prepared." } },
		{ shows: ["I need a port.", "", "Prepared."] },
	]);
});
