import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { only, ZotClient } from "../conformance/drivers/zot-client.ts";
import { frugalMemory, type Holdings, mebibytes } from "../fuzz/memory.ts";
import { Random, testScale, testSeed } from "../random.ts";
import { familyNames, malformedLine } from "./malformed-lines.ts";

const total = 4_000 * testScale(8, 250);
const batch = 200;
/** Maximum growth in bytes, from the first tenth of the lines to the end. */
const maxGrowth = 48 * 1024 * 1024;

/** Returns the report of `memory-probe.ts`, which collects garbage before it reports the memory. */
async function probe(agent: ZotClient): Promise<Holdings> {
	const from = agent.stderr.length;
	agent.kill("SIGUSR2");
	const match = (): RegExpExecArray | null => /probe (\{.*\})\n/.exec(agent.stderr.slice(from));
	for (let round = 0; ; round++) {
		const json = match()?.[1];
		// The cast is safe because memory-probe.ts writes an object of this type.
		if (json !== undefined) return parseJson(json) as Holdings;
		await agent.data({ id: `probe-${from}-${round}`, type: "ping" });
	}
}

async function clear(agent: ZotClient, round: number): Promise<void> {
	// The agent refuses `clear` during other work.
	for (let attempt = 0; ; attempt++) {
		const { success } = await agent.ask({ id: `probe-clear-${round}-${attempt}`, type: "clear" });
		if (success) return;
	}
}

test("each malformed line is answered once, and the process continues unchanged", async () => {
	const seed = testSeed();
	const random = new Random(seed);
	const loaded = new URL("../fuzz/memory-probe.ts", import.meta.url).href;
	await using agent = await ZotClient.start({
		environment: { ...frugalMemory, NODE_OPTIONS: `--expose-gc --import ${loaded}` },
	});
	let lines = 0;
	let pings = 0;
	let before: Holdings | undefined;
	let refused = 0;
	for (let read = 0; refused < total; read = agent.frames.length) {
		const malformed = Array.from({ length: batch }, () => malformedLine(random.pick(familyNames), random));
		lines += malformed.length;
		const bytes = Buffer.concat(
			malformed.flatMap((line) => [line, Buffer.from(random.pick(["\n", "\r\n"]))]),
		);
		for (let at = 0; at < bytes.length; ) {
			const length = random.chance(0.5) ? bytes.length : random.between(1, 40_000);
			agent.write(bytes.subarray(at, at + length));
			at += length;
		}
		pings += 1;
		expect(await agent.data({ id: `alive-${pings}`, type: "ping" })).toEqual({ pong: true });
		refused += only(agent.frames.slice(read), "response").filter(({ success }) => !success).length;
		// Some lines request the complete transcript. In a long conversation, they would take most of the time.
		if (pings % 10 === 0) await clear(agent, pings);
		if (refused >= total / 10) before ??= await probe(agent);
	}
	const after = await probe(agent);
	expect(await agent.end()).toEqual({ code: 0, signal: null });

	const responses = only(agent.frames, "response");
	const own = responses.filter(({ id }) => /^(alive|probe)-/.test(String(id)));
	const growth = after.rss - (before?.rss ?? 0);
	process.stdout.write(
		`${lines} lines, ${refused} refused; ${mebibytes(after.rss)} resident, ${mebibytes(growth)} more than after a tenth; PARLEY_TEST_SEED=${seed}\n`,
	);
	expect(responses.length - own.length).toBe(lines);
	expect(own.filter(({ id }) => String(id).startsWith("alive"))).toHaveLength(pings);
	expect(growth).toBeLessThan(maxGrowth);
	expect(after.descriptors).toBeLessThanOrEqual(before?.descriptors ?? 0);
	// Every accepted prompt and `compact` must have ended.
	const started = responses.filter(({ command, success }) => success && /^(prompt|compact)$/.test(command));
	expect(only(agent.frames, "done")).toHaveLength(started.length);
});
