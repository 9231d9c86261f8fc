import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { Posting } from "../platform/posting.ts";
import { playScene, type SceneStep } from "../testing/scene.ts";
import type { Stage } from "../testing/stage.ts";

const begun: readonly SceneStep[] = [
	{ says: "one", in: "general", mentions: "us" },
	{ gateway: { answers: "first" } },
];

async function filesOf(stage: Stage) {
	const rows = await stage.store.read((db) =>
		db.selectFrom("outbox").select("payload").orderBy("position").execute(),
	);
	return rows.flatMap(({ payload }) => {
		const posting = Posting.parse(parseJson(payload));
		const file = "file" in posting ? posting.file : undefined;
		return file ? [{ type: posting.type, ...file }] : [];
	});
}

test("the person who requests a conversation as a file gets it in a private answer", async () => {
	const stage = await playScene([...begun, { commands: "session export", in: "general" }]);
	expect(await filesOf(stage)).toEqual([
		{ type: "private", name: "conversation.md", content: expect.stringMatching(/> one\n[\s\S]*> first\n$/) },
	]);
	await playScene([{ privately: ["This conversation as a file:"] }], stage);
});

test("a typed command in a channel posts no file for all its readers", async () => {
	const stage = await playScene([...begun, { says: "!session export", in: "general", mentions: "us" }]);
	expect(await filesOf(stage)).toEqual([]);
	stage.platform.ticketOf = ({ message }) => ({
		id: `t-${message}`,
		token: "{}",
		expiresAt: Number.MAX_SAFE_INTEGER,
	});
	await playScene([{ says: "!session export", in: "general", mentions: "us" }], stage);
	expect(await filesOf(stage)).toMatchObject([{ type: "private" }]);
});

test("in direct messages the file is a post, and a room without a conversation says so", async () => {
	const stage = await playScene([
		{ says: "one", in: "dm" },
		{ gateway: { answers: "first" } },
		{ says: "!session export", in: "dm" },
		{ commands: "session export", in: "random" },
		{ privately: ["This channel has no conversation yet. Write to me to start one."] },
	]);
	expect(await filesOf(stage)).toMatchObject([{ type: "post", name: "conversation.md" }]);
});

test("a guest gets no file, neither by a command nor by a typed one", async () => {
	const stage = await playScene(begun);
	stage.gateway.roles.set("ada", "guest");
	await playScene([{ passes: 3_600_000 }, { commands: "session export", in: "general" }], stage);
	const refusal = "Only members can get a conversation as a file: ask the operator for the role member.";
	await playScene([{ privately: [refusal] }, { says: "!session export", in: "dm" }], stage);
	expect(stage.posts(stage.room())).toEqual([refusal]);
	expect(await filesOf(stage)).toEqual([]);
});
