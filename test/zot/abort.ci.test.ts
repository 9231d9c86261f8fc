import { paced, pacedNow } from "@parley/base/testing";
import { expect, test } from "vitest";
import { only, ZotClient } from "../conformance/drivers/zot-client.ts";
import { Random, testSeed } from "../random.ts";
import { childrenIn, family, openPipe } from "./children.ts";

const rounds = 50;
/** Maximum milliseconds from the abort to the exit of all tool processes. */
const maxMs = 2_000;

/** Waits for `count` turns of the event loop. A turn is much shorter than a prompt. */
async function turns(count: number): Promise<void> {
	for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Aborts a prompt. Returns the milliseconds from the abort to the exit of the prompt's processes. */
async function abortOnce(agent: ZotClient, round: number, random: Random): Promise<number> {
	const pipe = `held${round}`;
	const thoughts = random.pick(["think: so\n", "say: Look.\n", ""]);
	const command = family(pipe, random.chance(0.2));
	const prompt = { id: `p${round}`, type: "prompt", message: `${thoughts}run: ${command}\nsay: over` };
	const abort = { id: `a${round}`, type: "abort" };
	let released: Promise<number> | undefined;
	const together = random.chance(0.1);
	agent.send(...(together ? [prompt, abort] : [prompt]));
	if (random.chance(0.5) && !together) {
		await agent.until("tool_progress", ({ text }) => text.includes("ready"));
		({ released } = await openPipe(agent, pipe));
		await turns(random.below(50));
	} else if (!together) await turns(random.below(3_000));
	if (!together) agent.send(abort);
	const began = performance.now();
	await agent.until("done", ({ request_id }) => request_id === prompt.id);
	expect(await agent.response(abort.id)).toMatchObject({ success: true });
	return (await (released ?? processesEnded(agent, began + paced(maxMs)))) - began;
}

/**
 * Waits until all tool processes in the working directory have exited. Rejects if some remain after `until`. `until`
 * and the result are times of `performance.now`.
 */
async function processesEnded(agent: ZotClient, until: number): Promise<number> {
	for (;;) {
		const remaining = await childrenIn(agent.path("work"));
		if (remaining.length === 0) return performance.now();
		if (performance.now() > until) throw new Error(`still there: ${remaining.join("\n")}`);
	}
}

test("an abort at any moment ends the prompt, and the processes of its tools are dead within 2 s", async () => {
	const seed = testSeed();
	const random = new Random(seed);
	await using agent = await ZotClient.start();
	await agent.data({ id: "warm", type: "ping" });
	const deaths: number[] = [];
	for (let round = 0; round < rounds; round++) deaths.push(await abortOnce(agent, round, random));
	const ran = only(agent.frames, "tool_progress").length;
	process.stdout.write(
		`${ran} of ${rounds} commands ran; dead after at most ${Math.max(...deaths).toFixed(0)} ms; PARLEY_TEST_SEED=${seed}\n`,
	);
	expect(Math.max(...deaths)).toBeLessThan(pacedNow(maxMs));
	expect(ran).toBeGreaterThan(5);
	const ids = deaths.map((_, round) => `p${round}`);
	expect(only(agent.frames, "done").map(({ request_id }) => request_id)).toEqual(ids);
	expect(only(agent.frames, "error")).toEqual([]);
	expect(await childrenIn(agent.path("work"))).toEqual([]);
	// The abort must not affect later prompts.
	agent.send({ id: "last", type: "prompt", message: "run: echo alive" });
	await agent.until("done");
	expect(only(agent.frames, "tool_result").at(-1)).toMatchObject({ is_error: false });
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});
