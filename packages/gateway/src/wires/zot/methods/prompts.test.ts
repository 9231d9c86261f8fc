import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect, test } from "vitest";
import { ZotSetup } from "../../../testing/zot-setup.ts";
import type { Frame } from "../schema.ts";

const prompt = (id: string, message = id) => ({ id, type: "prompt", message });
const abort = { id: "abort", type: "abort" };
const eventTypes = ["user_message", "turn_start", "assistant_start", "usage", "assistant_message"];

test("prompts and compactions run one after the other, and each is answered when it starts", async () => {
	const model = new ScriptedModel([says("1")], [says("2")], [says("They counted.")], [says("3")]);
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p1"), prompt("p2"), { id: "c", type: "compact" }, prompt("p3"));
	await setup.waitFor("done", 4);
	const owners = setup.frames.map((frame) => (frame.type === "response" ? frame.id : frame.request_id));
	expect(owners.filter((owner, at) => owner !== owners[at - 1])).toEqual(["p1", "p2", "c", "p3"]);
	for (const id of ["p1", "p2", "p3"])
		expect(setup.typesOf(id)).toEqual([...eventTypes, "turn_end end_turn", "done"]);
	expect(setup.typesOf("c")).toEqual(["usage", "compact_done", "done"]);
	expect(setup.answers).toEqual(["p1", "p2", "c", "p3"].map((id) => [id, true]));
	expect(model.requests.at(-1)?.messages.length).toBe(2);
});

test("a compaction without messages is an error", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel() });
	setup.send({ id: "c", type: "compact" });
	await setup.waitFor("done");
	expect(setup.frames.slice(1)).toEqual([
		{ type: "error", message: "nothing to compact", request_id: "c" },
		{ type: "done", request_id: "c" },
	]);
});

test("a compaction that fails has the reason, and the next prompt runs", async () => {
	const model = new ScriptedModel([says("1")]);
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p"), { id: "c", type: "compact" }, { id: "c2", type: "compact" });
	await setup.waitFor("done", 3);
	expect(setup.typesOf("c")).toEqual(["error", "done"]);
	expect(setup.typesOf("c2")).toEqual(["error", "done"]);
});

test("a prompt whose model call fails ends with the error, and the next one runs", async () => {
	const model = new ScriptedModel(
		async function* () {
			yield says("half");
			throw new TypeError("boom");
		},
		[says("whole")],
	);
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p1"), prompt("p2"));
	await setup.waitFor("done", 2);
	expect(setup.typesOf("p1").slice(-3)).toEqual(["turn_end error", "error", "done"]);
	expect(setup.typesOf("p2")).toEqual([...eventTypes, "turn_end end_turn", "done"]);
});

test("64 prompts can wait, and a further one is refused; waiting prompts can be listed and cancelled", async () => {
	const model = new ScriptedModel(stuck("…"), ...Array(63).fill([says("ok")]));
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("at work"), ...Array.from({ length: 65 }, (_, at) => prompt(`w${at}`, "x".repeat(300))));
	setup.send({ id: "c", type: "compact" });
	expect(setup.answers).toEqual([
		["at work", true],
		[
			"w64",
			"busy: the command prompt was not queued, because 64 commands are already waiting; try again later",
		],
		[
			"c",
			"busy: the command compact was not queued, because 64 commands are already waiting; try again later",
		],
	]);
	const listed = await setup.ask({ id: "q", type: "queue" });
	expect(listed).toMatchObject({ data: { active: { id: "at work", type: "prompt" } } });
	const { queued } = (listed.success ? listed.data : {}) as { queued: { id: string; message: string }[] };
	expect(queued.map(({ id }) => id)).toEqual(Array.from({ length: 64 }, (_, at) => `w${at}`));
	expect(queued[0]?.message).toBe(`${"x".repeat(200)}…`);
	setup.send({ id: "1", type: "cancel_queued", request_id: "w7" });
	setup.send({ id: "2", type: "cancel_queued", request_id: "w7" });
	setup.send({ id: "3", type: "cancel_queued", request_id: "at work" });
	expect(setup.answers.slice(-4)).toEqual([
		["w7", "cancelled before it started"],
		["1", true],
		["2", 'no waiting prompt has the id "w7": use an id from the response to queue'],
		["3", 'no waiting prompt has the id "at work": use an id from the response to queue'],
	]);
	await setup.connection.terminate("stopped");
	expect(setup.typesOf("w7")).toEqual([]);
	expect(setup.typesOf("at work").at(-1)).toBe("done");
	expect(setup.answers.filter(([, reason]) => reason === "cancelled before it started")).toHaveLength(64);
});

const script = () =>
	new ScriptedModel(
		[says("Look:"), calls("c1", "bash", { command: "echo hi" })],
		[says("done")],
		[says("next")],
	);

/** Sends two prompts, and an abort after `number` frames. */
async function abortBehind(
	number: number,
): Promise<{ frames: readonly Frame[]; first: string[]; next: string[] }> {
	let sent = 0;
	await using setup: ZotSetup = await ZotSetup.open({
		model: script(),
		onFrame: () => {
			sent += 1;
			if (sent === number) queueMicrotask(() => setup.send(abort));
		},
	});
	if (number === 0) setup.send(prompt("p1"), abort, prompt("p2"));
	else setup.send(prompt("p1"), prompt("p2"));
	await setup.waitFor("done", 2);
	await setup.t.settle();
	return { frames: setup.frames, first: setup.typesOf("p1"), next: setup.typesOf("p2") };
}

test("an abort at any time ends only the active prompt, with one done", async () => {
	const complete = (await abortBehind(-1)).frames;
	const lastOfFirst = complete.findIndex(({ type }) => type === "done") + 1;
	expect(lastOfFirst).toBeGreaterThan(12);
	for (let number = 0; number <= lastOfFirst; number++) {
		const { first, next, frames } = await abortBehind(number);
		expect(first.filter((type) => type === "done")).toHaveLength(1);
		expect(first.at(-1)).toBe("done");
		expect(first).not.toContain("error");
		const of = (requested: string): number => first.filter((type) => type === requested).length;
		expect(of("tool_call")).toBe(of("tool_result"));
		expect(of("turn_start")).toBe(first.filter((type) => type.startsWith("turn_end")).length);
		expect(next, `after an abort behind ${number}`).toEqual([...eventTypes, "turn_end end_turn", "done"]);
		expect(frames.filter((frame) => frame.type === "response" && frame.id === "abort")).toHaveLength(1);
	}
});

test.each([
	["before anything of the reply", []],
	["while it speaks", [says("half")]],
])("an abort %s ends a model call that hangs", async (_when, abortLine) => {
	const model = new ScriptedModel(async function* (_request, signal) {
		yield* abortLine;
		await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
	});
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p"));
	await setup.waitFor(abortLine.length === 0 ? "turn_start" : "text_delta");
	await setup.t.settle();
	setup.send(abort, abort);
	await setup.waitFor("done");
	expect(setup.typesOf("p").slice(-2)).toEqual(["turn_end aborted", "done"]);
	expect(setup.typesOf("p")).not.toContain("error");
});

test("an abort while a tool of the last model call runs is reported as an abort", async () => {
	const model = new ScriptedModel([calls("c1", "bash", { command: "sleep 100" })]);
	await using setup = await ZotSetup.open({ model, limits: { modelCalls: 1 } });
	setup.send(prompt("p"));
	await setup.waitFor("turn_end");
	await setup.t.settle();
	setup.send(abort);
	await setup.waitFor("done");
	expect(setup.typesOf("p").slice(-4)).toEqual(["tool_result", "turn_start", "turn_end aborted", "done"]);
});

test("queued prompts can have 64 MiB together", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel(stuck("…")) });
	setup.send(prompt("at work"));
	const data = `iVBORw0KGgo${"A".repeat(12 * 1024 * 1024 - 11)}`;
	const image = { mime_type: "image/png", data };
	const large = (id: string) => ({ id, type: "prompt", images: [image] });
	setup.send(...["w1", "w2", "w3", "w4", "w5", "w6"].map(large), prompt("small"));
	expect(setup.answers.slice(1)).toEqual([
		[
			"w6",
			"busy: the command prompt was not queued, because the waiting commands would exceed 64 MiB; try again later",
		],
	]);
	setup.send({ id: "c", type: "cancel_queued", request_id: "w1" }, large("w7"));
	expect(setup.answers.slice(2)).toEqual([
		["w1", "cancelled before it started"],
		["c", true],
	]);
});

test("an abort ends a compaction without a change", async () => {
	const model = new ScriptedModel([says("1")], stuck("…"), [says("2")]);
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p"), { id: "c", type: "compact" });
	await setup.waitFor("done");
	while (model.requests.length < 2) await setup.t.settle();
	setup.send(abort);
	await setup.waitFor("done", 2);
	expect(setup.typesOf("c").filter((type) => type !== "usage")).toEqual(["done"]);
	setup.send(prompt("next"));
	await setup.waitFor("done", 3);
	expect(model.requests.at(-1)?.messages).toHaveLength(3);
});

test("an abort without a prompt succeeds, and does not end later prompts", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel([says("1")]) });
	setup.send(abort, prompt("p"));
	await setup.waitFor("done");
	expect(setup.typesOf("p")).toEqual([...eventTypes, "turn_end end_turn", "done"]);
	expect(setup.answers).toEqual([
		["abort", true],
		["p", true],
	]);
});
