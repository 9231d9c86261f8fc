import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { openSqlite } from "../testing/open-stores.ts";
import { playScene, type SceneStep } from "../testing/scene.ts";
import { Stage } from "../testing/stage.ts";

const open = (): Promise<Stage> => Stage.open(openSqlite, { joinMs: 2000 });
const later: SceneStep = { passes: 3000 };

function sent({ gateway }: Stage): unknown[] {
	return gateway.requests
		.filter(({ method }) => method === "send_message")
		.map(({ params }) => params["content"]);
}

test("messages of a person within 2 s are one request, which names the last of them", async () => {
	const stage = await playScene([{ says: "one" }, { says: "two" }], await open());
	expect(sent(stage)).toEqual([]);
	await playScene(
		[later, { gateway: { answers: "both" } }, { says: "three" }, later, { repeats: true }],
		stage,
	);
	expect(sent(stage)).toEqual(["one\ntwo", "three"]);
	expect(
		stage.gateway.requests.find(({ method }) => method === "send_message")?.params["correlation_id"],
	).toBe("m2");
	await playScene([{ restarts: true }, later], stage);
	expect(sent(stage)).toHaveLength(2);
});

test("a message after more than 2 s is a separate request", async () => {
	const stage = await playScene([{ says: "one" }, { passes: 1500 }, { says: "two" }, later], await open());
	expect(sent(stage)).toEqual(["one", "two"]);
});

test("the request contains the files of all its messages", async () => {
	const stage = await open();
	for (const name of ["a.txt", "b.txt"]) stage.platform.attachments.set(name, new Uint8Array([1]));
	await playScene([{ says: "one", attaches: ["a.txt"] }, { says: "", attaches: ["b.txt"] }, later], stage);
	expect(sent(stage)).toEqual(["one\n"]);
	const [request] = stage.gateway.requests.filter(({ method }) => method === "send_message");
	expect(request?.params["attachments"]).toHaveLength(2);
});

test("messages of another person, commands and stops are not joined", async () => {
	const us = { in: "general", mentions: "us" } as const;
	const stage = await playScene(
		[
			{ ...us, says: "one" },
			{ ...us, says: "mine", by: "bea" },
			later,
			{ ...us, says: "two" },
			{ ...us, says: "!help" },
			later,
			{ gateway: { answers: "1" } },
			{ gateway: { answers: "2" } },
			{ gateway: { answers: "3" } },
			{ ...us, says: "three" },
			{ ...us, says: "stop" },
			later,
		],
		await open(),
	);
	expect(sent(stage)).toEqual(["one", "mine", "two"]);
});

test("the answer to a question is not joined", async () => {
	const stage = await playScene([{ says: "zero" }, later], await open());
	await playScene(
		[
			{ gateway: { asks: { type: "text", options: [] } } },
			{ passes: 5000 },
			{ says: "blue", attaches: [] },
			later,
			{ requested: "prompt_response", times: 1 },
		],
		stage,
	);
	expect(sent(stage)).toEqual(["zero"]);
});

test("an edit within the time replaces the text, and a deleted message is not part of the request", async () => {
	const deletion: SceneStep = {
		does: (stage) =>
			stage.arrive(
				{ type: "deleted", room: stage.room(), message: "m3", at: stage.clock.now() },
				"deleted:m3",
			),
	};
	const stage = await playScene(
		[{ says: "one" }, { edits: "m1", to: "uno" }, later, { says: "two" }, { says: "three" }, deletion],
		await open(),
	);
	await playScene([later, later, { requested: "cancel_turn", times: 1 }], stage);
	expect(sent(stage)).toEqual(["uno", "two", "three"]);
});

test("an edit or a deletion after the request concerns the complete request", async () => {
	const stage = await playScene([{ says: "one" }, { says: "two" }, later], await open());
	await playScene([{ deletes: "m1" }, { requested: "cancel_turn", times: 1 }], stage);
});

test("after a lost response and a restart, the same messages are one request, once", async () => {
	const stage = await open();
	const usual = stage.gateway.methods.send_message;
	let lost = 0;
	stage.gateway.methods.send_message = async (params, call) => {
		const result = await usual?.(params, call);
		lost += 1;
		if (lost === 1 || result === undefined) throw new ParleyError("lost", { code: "unavailable" });
		return result;
	};
	await playScene(
		[{ says: "one" }, { says: "two" }, { passes: 1000 }, { restarts: true }, { passes: 60_000 }],
		stage,
	);
	const userMessages = stage.gateway.sessions.flatMap(({ frames }) =>
		frames.filter(({ event }) => event === "user.message"),
	);
	expect(userMessages.map(({ payload }) => Object(payload).content)).toContain("one\ntwo");
	expect(new Set(sent(stage))).toEqual(new Set(["one\ntwo"]));
});

test("messages that waited for the gateway during a restart are not lost", async () => {
	const stage = await playScene([{ gateway: "goes away" }], await open());
	await playScene([{ says: "one" }, { says: "two" }, { restarts: true }, { passes: 5000 }], stage);
	await playScene([{ gateway: "comes back" }, { passes: 60_000 }], stage);
	expect(sent(stage).join("\n")).toBe("one\ntwo");
});
