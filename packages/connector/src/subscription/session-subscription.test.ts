import { expect, test } from "vitest";
import { emptyConversation } from "../conversation/conversation.ts";
import { playScene, type SceneStep } from "../testing/scene.ts";
import type { Stage } from "../testing/stage.ts";
import { readSessionCursor } from "./session-cursors.ts";

async function cursorOf({ store }: Stage, session = "sess_0001") {
	const cursor = await store.read((db) => readSessionCursor(db, session));
	if (cursor) return cursor;
	throw new Error(`nothing of ${session} was told`);
}

test("the state is stored with the cursor, and the next process continues from it", async () => {
	const stage = await playScene([{ says: "one" }]);
	const cursor = await cursorOf(stage);
	expect(cursor).toMatchObject({
		replayedTo: 0,
		state: { v: 1 },
	});
	expect(cursor.seq).toBe(stage.gateway.newest.frames.length);
	await playScene([{ restarts: true }, { says: "two" }, { shows: ["Your message is next"] }], stage);
});

test("a state of another version is reduced again from the beginning without posts", async () => {
	const stage = await playScene([{ says: "one" }, { gateway: { answers: "first" } }, { says: "two" }]);
	const strange = JSON.stringify({ ...emptyConversation, v: 999 });
	await stage.store.commit((tx) => tx.updateTable("cursors").set({ state: strange }).execute());
	await playScene(
		[
			{ restarts: true },
			{ says: "three" },
			{ shows: ["first", "Your message is next"] },
			{ gateway: { answers: "second" } },
			{ shows: ["first", "second"] },
		],
		stage,
	);
});

test("a thousand queued frames share few transactions", async () => {
	const stage = await playScene([{ says: "one" }]);
	await stage.connector.stop();
	const session = stage.gateway.newest;
	for (let n = 0; n < 1000; n++) session.record("grant.ended", { grant_id: `grant_${n}`, reason: "over" });
	session.end({ content: "first" });
	const before = await stage.store.read((db) => db.selectFrom("outbox").selectAll().execute());
	let commits = 0;
	const { commit } = stage.store;
	stage.store.commit = (command) => {
		commits += 1;
		return commit(command);
	};
	await playScene([{ restarts: true }], stage);
	expect(stage.posts(stage.room()).at(-1)).toContain("first");
	expect((await cursorOf(stage)).seq).toBe(session.frames.length);
	const after = await stage.store.read((db) => db.selectFrom("outbox").selectAll().execute());
	expect(commits - 3 * (after.length - before.length)).toBeLessThan(20);
});

test("an event that cannot be rendered is skipped with a log line, and the next one is shown", async () => {
	const stage = await playScene([{ says: "one" }]);
	Object.defineProperty(stage.platform, "person", {
		value: () => {
			throw new Error("nobody has a name today");
		},
	});
	const author = { id: "chat:guild:bo", name: "Bo" };
	stage.gateway.newest.say("from elsewhere", { author });
	await playScene([{ gateway: { answers: "first" } }, { shows: ["first"] }], stage);
	const [error] = stage.log.records.filter(({ level }) => level === "error");
	expect(error?.fields).toMatchObject({ session: "sess_0001", event: "user.message" });
});

test("an interrupted replay continues as a replay: possible posts are searched", async () => {
	const stage = await playScene([{ says: "one" }, { gateway: { answers: "first" } }, { says: "two" }]);
	await stage.connector.stop();
	stage.gateway.newest.end({ content: "second" });
	const { surface } = stage.platform;
	await stage.loseDatabase();
	expect(surface.calls.filter((call) => call.startsWith("find"))).not.toEqual([]);
	expect((await cursorOf(stage)).replayedTo).toBe(stage.gateway.newest.frames.length);
	await playScene([{ restarts: true }, { passes: 60_000 }, { shows: ["first", "second"] }], stage);
});

test("a connector stops while it catches up, and the next process shows the rest once", async () => {
	const stage = await playScene([{ says: "one" }]);
	await stage.connector.stop();
	stage.gateway.newest.end({ content: "first" });
	stage.gateway.methods.query_tasks = () => {
		stage.store.refusals = Number.POSITIVE_INFINITY;
		return { tasks: [] };
	};
	await stage.restart();
	await stage.connector.stop();
	stage.gateway.methods.query_tasks = () => ({ tasks: [] });
	stage.store.refusals = 0;
	await playScene([{ restarts: true }, { shows: ["first"] }], stage);
});

test("a gateway whose data was replaced ends the session with a notice, and a message starts another one", async () => {
	const stage = await playScene([{ says: "one" }]);
	await stage.connector.stop();
	stage.gateway.sessions.length = 0;
	await playScene([{ restarts: true }, { says: "two" }, { gateway: { answers: "second" } }], stage);
	expect(stage.posts(stage.room())).toMatchObject([
		expect.stringContaining("This conversation was deleted"),
		expect.stringContaining("second"),
	]);
});

async function crash(stage: Stage): Promise<void> {
	stage.store.refusals = Number.POSITIVE_INFINITY;
	await stage.connector.stop();
	stage.store.refusals = 0;
	await stage.restart();
}

test("an idle session is not read again, at the latest after the second start", async () => {
	const renames: SceneStep = {
		does: ({ gateway }) => gateway.newest.record("session.renamed", { title: "About one", by: "model" }),
	};
	const idle: readonly SceneStep[] = [
		{ says: "one" },
		{ gateway: { answers: "first" } },
		renames,
		{ passes: 3 * 86_400_000 },
	];
	const read = async (stage: Stage): Promise<number> => (await stage.connector.status()).sessions;
	expect(await read(await playScene([...idle, { restarts: true }]))).toBe(0);
	const stage = await playScene([...idle, { does: crash }]);
	expect(await read(stage)).toBe(1);
	await playScene([{ does: crash }], stage);
	expect(await read(stage)).toBe(0);
	await playScene([{ says: "two" }, { gateway: { answers: "second" } }], stage);
	expect(stage.posts(stage.room())).toMatchObject([
		expect.stringContaining("first"),
		expect.stringContaining("second"),
	]);
});

test("a state without rows is saved when it has become too expensive to restore", async () => {
	const stage = await playScene([{ says: "one" }, { gateway: { answers: "first" } }]);
	const { seq } = await cursorOf(stage);
	await playScene([{ says: "two" }], stage);
	const session = stage.gateway.newest;
	for (let n = 0; n < 99; n++) session.record("grant.ended", { grant_id: `grant_${n}`, reason: "over" });
	await stage.quiet();
	expect((await cursorOf(stage)).seq).toBe(seq);
	session.record("grant.ended", { grant_id: "grant_99", reason: "over" });
	await stage.quiet();
	expect((await cursorOf(stage)).seq).toBe(session.frames.length);
});

async function typingIn(stage: Stage): Promise<number> {
	const { calls } = stage.platform.surface;
	const before = calls.length;
	await playScene([{ passes: 30_000 }], stage);
	return calls.slice(before).filter((request) => request.startsWith("typing")).length;
}

test("typing is shown while a call runs and another one waits for approval, and not while only people can act", async () => {
	const stage = await playScene([{ says: "one" }, { gateway: { asks: {} } }, { gateway: { asks: {} } }]);
	const session = stage.gateway.newest;
	const call = { name: "run_command", call_id: "call_2" };
	expect(await typingIn(stage)).toBe(0);
	session.record("tool.call", { ...call, status: "started", arguments: {} });
	await stage.quiet();
	expect(await typingIn(stage)).toBeGreaterThan(2);
	// The running call itself asks for a value.
	const token = session.ask({ type: "text", label: "Which folder?" });
	await stage.quiet();
	expect(await typingIn(stage)).toBe(0);
	session.record("prompt.closed", { token, reason: "expired" });
	await stage.quiet();
	expect(await typingIn(stage)).toBeGreaterThan(2);
	session.record("tool.call", { ...call, status: "completed", result: "" });
	await stage.quiet();
	expect(await typingIn(stage)).toBe(0);
});
