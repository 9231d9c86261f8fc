import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

const questionSteps: readonly SceneStep[] = [
	{ says: "hello", in: "general", mentions: "us" },
	{ gateway: { answers: "done" } },
];
const us = { in: "general", mentions: "us" } as const;

async function caughtUp(stage: Stage): Promise<readonly string[]> {
	await stage.loseDatabase();
	await stage.repeat({ seenBefore: true });
	await stage.pass(60_000);
	return stage.posts(stage.room("general"));
}

test("an answer outside of sessions is not repeated after a loss of the database", async () => {
	const stage = await playScene([...questionSteps, { ...us, says: "!help" }, { ...us, says: "" }]);
	const before = stage.posts(stage.room("general"));
	expect(before).toHaveLength(3);
	expect(await caughtUp(stage)).toEqual(before);
});

test("a stranger refused on one day is not refused again on the next one for an earlier message", async () => {
	const stage = await Stage.open();
	stage.gateway.roles.set("ada", "stranger");
	await playScene([{ ...us, says: "one" }, { ...us, says: "two" }, { passes: 86_400_000 }], stage);
	expect(stage.posts(stage.room("general"))).toHaveLength(1);
	expect(await caughtUp(stage)).toHaveLength(1);
	await playScene([{ ...us, says: "three" }], stage);
	expect(stage.posts(stage.room("general"))).toHaveLength(2);
});

test.each([
	["cannot be taken in", "internal"],
	["finds the line full", "resource_exhausted"],
] as const)("a notice that a message %s is not repeated", async (_, code) => {
	const stage = await Stage.open();
	stage.gateway.methods.send_message = () => {
		throw new ParleyError("it failed", { code });
	};
	await playScene([{ ...us, says: "one" }, { passes: 60_000 }], stage);
	const before = stage.posts(stage.room("general"));
	expect(before).toHaveLength(1);
	await stage.connector.stop();
	stage.clock.advance(3_600_000);
	expect(await caughtUp(stage)).toEqual(before);
});

test("a message without an answer before the loss of the database is answered", async () => {
	const stage = await playScene(questionSteps);
	await playScene([{ ...us, says: "!help" }], stage);
	stage.platform.surface.posts.pop();
	expect(await caughtUp(stage)).toMatchObject([
		expect.stringContaining("done"),
		expect.stringContaining("List all commands"),
	]);
});
