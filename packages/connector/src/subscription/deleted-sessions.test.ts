import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";
import type { Stage } from "../testing/stage.ts";
import { deletedSession } from "./known-sessions.ts";

const asks: readonly SceneStep[] = [
	{ says: "clean up" },
	{ gateway: { asks: {} } },
	{ shows: ["[Approve once]"] },
];
const deletes: SceneStep = { does: ({ gateway }) => gateway.delete() };
const isShown: SceneStep = {
	shows: ["the conversation was deleted", "This conversation was deleted. Your next"],
};
const hasNoButtons = (stage: Stage): void => {
	expect(stage.posts(stage.room()).join()).not.toContain("[");
};

async function sessionsOf({ store }: Stage): Promise<readonly string[]> {
	const rows = await store.read((db) => db.selectFrom("cursors").select("session").execute());
	return rows.map(({ session }) => session);
}

test("a deletion is rendered once with the number of the last event, closes open cards and is forgotten", async () => {
	const stage = await playScene([...asks, deletes, isShown, { does: hasNoButtons }]);
	expect(await sessionsOf(stage)).not.toContain("sess_0001");
	await playScene([{ restarts: true }, isShown, { says: "two" }, { gateway: { answers: "second" } }], stage);
	expect(stage.gateway.sessions).toHaveLength(2);
	expect(stage.posts(stage.room()).at(-1)).toContain("second");
});

test("a session that is not found when the gateway is back was deleted in the meantime", async () => {
	const stage = await playScene([
		...asks,
		{ gateway: "goes away" },
		deletes,
		{ gateway: "comes back" },
		isShown,
		{ does: hasNoButtons },
	]);
	expect(stage.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("a session deleted between two processes is rendered as deleted by the next one, once", async () => {
	const stage = await playScene([{ says: "elsewhere", by: "bo" }, ...asks]);
	await stage.connector.stop();
	stage.gateway.delete();
	await playScene([{ restarts: true }, isShown, { does: hasNoButtons }, { restarts: true }, isShown], stage);
	expect(await sessionsOf(stage)).not.toContain("sess_0002");
	expect(stage.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("a message that waits for the gateway starts another session if its own was deleted between two processes", async () => {
	const stage = await playScene([...asks, { gateway: "goes away" }, { says: "two" }, deletes]);
	await playScene([{ restarts: true }, { gateway: "comes back" }, { gateway: { answers: "second" } }], stage);
	const [card, ...others] = stage.posts(stage.room());
	expect(card).toContain("the conversation was deleted");
	expect(others).toEqual([expect.stringContaining("was deleted"), expect.stringContaining("second")]);
	expect(stage.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("a deletion that the database refuses is rendered at the next chance", async () => {
	const stage = await playScene(asks);
	stage.store.refusals = 2;
	await playScene([deletes, { passes: 5000 }, isShown, { does: hasNoButtons }], stage);
});

test("a deletion during a replay closes the existing cards, and creates no others", async () => {
	const stage = await playScene([...asks, { passes: 2 * 86_400_000 }]);
	const session = stage.gateway.newest;
	const frameCount = session.frames.length;
	session.record("session.renamed", { title: "About one", by: "model" });
	const connect = stage.gateway.connect.bind(stage.gateway);
	stage.gateway.connect = () => {
		const client = connect();
		const open = client.open.bind(client);
		client.open = async (params) => {
			const { id, status, lastSeq } = await open(params);
			const frames = [
				...session.frames.slice(0, frameCount),
				...(await Array.fromAsync(deletedSession(id, lastSeq).events())),
			];
			return { id, status, lastSeq, events: () => ReadableStream.from(frames), close: () => undefined };
		};
		return client;
	};
	await playScene([{ losesDatabase: true }, { passes: 60_000 }, isShown, { does: hasNoButtons }], stage);
});

test("if none of the rendered sessions exists, no deletion is rendered", async () => {
	const stage = await playScene(asks);
	await stage.connector.stop();
	const sessions = stage.gateway.sessions.splice(0);
	await playScene([{ restarts: true }, { shows: ["[Approve once]"] }], stage);
	expect(await sessionsOf(stage)).toContain("sess_0001");
	const warnings = stage.log.records.filter(({ level }) => level === "warn");
	expect(warnings.map(({ message }) => message)).toEqual([expect.stringMatching(/token.*data/u)]);
	stage.gateway.sessions.push(...sessions);
	await playScene([{ restarts: true }, { gateway: { answers: "first" } }], stage);
	expect(stage.posts(stage.room()).at(-1)).toContain("first");
});

test("a session that exists again after the gateway is restored continues with its next events", async () => {
	const stage = await playScene([...asks, deletes, { passes: 1000 }]);
	stage.gateway.newest.deleted = undefined;
	const renames: SceneStep = {
		does: ({ gateway }) => gateway.newest.record("session.renamed", { title: "Back", by: "person" }),
	};
	await playScene([{ restarts: true }, renames], stage);
	expect(stage.posts(stage.room()).at(-1)).toContain("renamed to “Back”");
});

/**
 * Rejects the first `times` messages of each connection, as a real gateway does before the connection opens the
 * session.
 */
function notJoined({ gateway }: Stage, times: number): void {
	const connect = gateway.connect.bind(gateway);
	gateway.connect = () => {
		const client = connect();
		const request = client.request.bind(client);
		let left = times;
		client.request = async (method, ...rest) => {
			if (method !== "send_message" || left === 0) return request(method, ...rest);
			left -= 1;
			throw new ParleyError("session not found: sess_0001", { code: "not_found" });
		};
		return client;
	};
}

test("a session that is not found for a message but exists continues, and its cards stay open", async () => {
	const stage = await playScene([{ says: "one" }, { gateway: { answers: "first" } }]);
	notJoined(stage, 1);
	await playScene([{ restarts: true }, { gateway: { asks: {} } }, { says: "two" }], stage);
	const posts = stage.posts(stage.room()).join();
	expect(posts).toContain("[Approve once]");
	expect(posts).not.toContain("deleted");
	expect(stage.gateway.sessions).toHaveLength(1);
	expect(stage.gateway.requests.filter(({ method }) => method === "send_message")).toHaveLength(2);
	await playScene([{ gateway: { answers: "second" } }], stage);
	expect(stage.posts(stage.room()).join()).toContain("second");
	expect(stage.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("a message to a session that was deleted unnoticed closes its cards, and starts another session", async () => {
	const stage = await playScene(asks);
	const session = stage.gateway.newest;
	notJoined(stage, 1);
	await playScene([{ restarts: true }], stage);
	session.deleted = "missed";
	await playScene([{ says: "two" }, { gateway: { answers: "second" } }], stage);
	const posts = stage.posts(stage.room());
	expect(posts[0]).toContain("the conversation was deleted");
	expect(posts[0]).not.toContain("[");
	expect(posts.at(-1)).toContain("second");
	expect(stage.gateway.sessions).toHaveLength(2);
	expect(await sessionsOf(stage)).not.toContain("sess_0001");
	const messages = await stage.store.read((db) =>
		db.selectFrom("heard").select("session").where("message", "=", "m2").executeTakeFirst(),
	);
	expect(messages).toEqual({ session: "sess_0002" });
});

test("a deletion is rendered and forgotten in one transaction, so that a crash leaves no cursor", async () => {
	const stage = await playScene(asks);
	let marks: readonly string[] | undefined;
	const { commit } = stage.store;
	stage.store.commit = async (command) => {
		const result = await commit(command);
		marks ??= await sessionsOf(stage);
		return result;
	};
	await playScene([deletes, isShown], stage);
	expect(marks).not.toContain("sess_0001");
});

test("a session that exists again after the gateway is restored shows its open question with buttons, and repeats no post", async () => {
	const stage = await playScene([
		{ says: "one" },
		{ gateway: { answers: "first" } },
		{ says: "clean up" },
		{ gateway: { asks: {} } },
		deletes,
		{ passes: 1000 },
	]);
	expect(stage.posts(stage.room()).join()).not.toContain("[Approve once]");
	stage.gateway.newest.deleted = undefined;
	await playScene([{ restarts: true }, { passes: 60_000 }], stage);
	expect(stage.posts(stage.room())).toEqual([
		expect.stringContaining("first"),
		expect.stringContaining("[Approve once]"),
		expect.stringContaining("This conversation was deleted"),
	]);
});

test("events of a restored gateway are rendered, although lost events had the same numbers", async () => {
	const stage = await playScene([
		{ says: "one" },
		{ gateway: { answers: "lost" } },
		deletes,
		{ passes: 1000 },
	]);
	const session = stage.gateway.newest;
	session.deleted = undefined;
	session.frames.pop();
	session.moments.pop();
	session.runs.push({ id: "run_0001_1", content: "one" });
	await playScene([{ restarts: true }, { gateway: { answers: "again" } }, { passes: 20_000 }], stage);
	// The restored run has the id of the lost run.
	expect(stage.posts(stage.room()).join()).toContain("again");
});

test("a room without open work or activity for a day gets no post about a deletion", async () => {
	const idle: SceneStep[] = [{ says: "one" }, { gateway: { answers: "first" } }];
	const stage = await playScene([...idle, { passes: 25 * 3_600_000 }, deletes, { shows: ["first"] }]);
	expect(await sessionsOf(stage)).not.toContain("sess_0001");
	await playScene([...idle, deletes, { shows: ["first", "This conversation was deleted"] }]);
});
