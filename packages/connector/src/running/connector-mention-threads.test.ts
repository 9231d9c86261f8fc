import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { playScene, type SceneStep } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

const mention = { in: "general", mentions: "us" } as const;

/**
 * Returns a stage with a channel in which the agent answers in threads. `outcomes`: results of the first attempts
 * to open a thread.
 */
async function open(...outcomes: ("refused" | "failing")[]) {
	const stage = await Stage.open();
	const opened: string[] = [];
	stage.gateway.facts.set("guild:general", { mention: "required", sessions: "shared", answers: "thread" });
	stage.platform.openThread = async ({ channel }, { message, name }) => {
		opened.push(`${channel}/${message} ${name}`);
		const outcome = outcomes.shift();
		if (outcome === "failing") throw new ParleyError("it answers 503", { code: "unavailable" });
		return outcome === "refused" ? { refused: "no thread can be opened" } : {};
	};
	return { stage, opened, play: (...steps: readonly SceneStep[]) => playScene(steps, stage) };
}

test("a mention is answered in its own thread, and its edit and its deletion apply there", async () => {
	const { stage, opened, play } = await open();
	await play(
		{ says: "  one\ntwo ", ...mention },
		{ gateway: { answers: "first" } },
		{ shows: ["first"], in: "general/m1" },
		{ shows: [], in: "general" },
		{ edits: "m1", to: "three", in: "general", mentions: "us" },
		{ shows: ["first", "edited"], in: "general/m1" },
		{ says: "four", in: "general/m1", mentions: "us" },
		{ reacts: "stop", to: "m2", in: "general/m1" },
		{ says: "five", ...mention },
		{ deletes: "m3", in: "general" },
		{ requested: "cancel_turn", times: 2, with: { place: { thread: "m3" } } },
		{ losesDatabase: true },
		{ reacts: "again", to: "m1", in: "general" },
	);
	expect(opened).toEqual(["general/m1 one two", "general/m3 five"]);
	expect(stage.gateway.sessions).toHaveLength(2);
});

test("if the platform refuses the thread, the answer is in the channel, and the log has the reason", async () => {
	const { stage, play } = await open("refused");
	await play(
		{ says: "one", ...mention },
		{ gateway: { answers: "first" } },
		{ shows: ["first"], in: "general" },
	);
	expect(stage.log.records).toContainEqual(
		expect.objectContaining({ level: "warn", message: "no thread can be opened" }),
	);
});

test("a temporary failure of the platform delays the message", async () => {
	const { opened, play } = await open("failing");
	await play(
		{ says: "one", ...mention },
		{ passes: 60_000 },
		{ gateway: { answers: "first" } },
		{ shows: ["first"], in: "general/m1" },
	);
	expect(opened).toHaveLength(2);
});

test("no thread is opened for a person without access, in a thread, for a reply or without the setting", async () => {
	const { stage, opened, play } = await open();
	stage.gateway.roles.set("eve", "stranger");
	await play(
		{ says: "hello", ...mention, by: "eve" },
		{ says: "one", in: "general/t1", mentions: "us" },
		{ says: "two", in: "random", mentions: "us" },
		{ says: "three", in: "dm" },
	);
	expect(opened).toEqual([]);
});
