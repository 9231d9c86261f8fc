import { readFileSync } from "node:fs";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../random.ts";
import { type KontekstEvent, KontekstStream, type ProposedCall } from "./drivers/kontekst-client.ts";
import { RawRun } from "./drivers/raw-run.ts";
import { TestGateway } from "./gateway.ts";

const runs = 20 * testScale(10);
const atOnce = 8;
/** Additional timers that may remain after the runs: see `timersOfUse` in test/fuzz. */
const timersOfUse = 5;

const prompts = [
	"say: hello",
	"long: 40 tokens at 200 per second",
	"run: sleep 0.2",
	"run: echo one\nrun: echo two",
];

/** Counts the timers, sockets and children of this process, which runs the gateway and its clients. */
function holdings(): { readonly timers: number; readonly sockets: number; readonly children: number } {
	const open = process.getActiveResourcesInfo();
	const children = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").trim();
	return {
		timers: open.filter((resource) => resource === "Timeout").length,
		sockets: open.filter((resource) => resource === "TCPSocketWrap").length,
		children: children === "" ? 0 : children.split(" ").length,
	};
}

async function openWork(url: string): Promise<Readonly<Record<string, number>>> {
	const answer = await fetch(`${url}/metrics`, { headers: { connection: "close" } });
	const expected = /^(parley_(?:runs|prompts_open|clients|outgoing_bytes)(?:\{[^}]*\})?) (\S+)$/gm;
	return Object.fromEntries(
		[...(await answer.text()).matchAll(expected)].map(([, name, value]) => [name, Number(value)]),
	);
}

async function behave(stream: KontekstStream, random: Random): Promise<void> {
	stream.start({ prompt: random.pick(prompts) });
	let isClosed = false;
	const endings = [
		() => stream.send({ cancel: {} }),
		() => stream.breakOff(),
		() => {
			isClosed = true;
			stream.halfClose();
		},
		() => stream.disconnect(),
	];
	const leaveAt = random.chance(0.7) ? random.below(8) : undefined;
	for (let at = 0; ; at++) {
		if (at === leaveAt) random.pick(endings)();
		const event = await stream.next();
		if (event === undefined) return;
		if (["completed", "cancelled", "failed"].includes(event.kind)) break;
		if (event.kind !== "toolsProposed" || isClosed) continue;
		decide(stream, event, random);
	}
}

function decide(stream: KontekstStream, { value }: KontekstEvent, random: Random): void {
	// The cast is safe because the schema gives this field this type.
	const calls = value["calls"] as readonly ProposedCall[];
	for (const { callId } of random.shuffle(calls)) {
		if (random.chance(0.8)) stream.approve(callId);
		else stream.deny(callId, "not now");
	}
}

/** Starts a run, and disconnects at a random moment without closing the stream. */
async function disappear(url: string, random: Random): Promise<void> {
	await using raw = new RawRun(url);
	raw.send({ start: { prompt: random.pick(prompts) } });
	const moments = [() => raw.answered(), () => raw.reached(), () => Promise.resolve()];
	await random.pick(moments)();
}

test(`${runs} runs with random cancels and disconnects leave no run, stream, socket, process or timer`, {
	timeout: paced(120_000),
}, async () => {
	const seed = testSeed();
	process.stdout.write(`PARLEY_TEST_SEED=${seed}\n`);
	const random = new Random(seed);
	await using gateway = await TestGateway.start();
	const storm = async (count: number): Promise<void> => {
		let remaining = count;
		const work = async (): Promise<void> => {
			while (remaining-- > 0) {
				if (random.chance(0.25)) await disappear(gateway.url, random);
				else {
					await using stream = new KontekstStream(gateway.url);
					await behave(stream, random);
				}
			}
		};
		await Promise.all(Array.from({ length: atOnce }, work));
	};
	const settled = async (): Promise<void> => {
		const isIdle = async () => Object.values(await openWork(gateway.url)).every((value) => value === 0);
		await expect.poll(isIdle, { timeout: paced(20_000), interval: 100 }).toBe(true);
	};
	await storm(atOnce);
	await settled();
	const before = holdings();
	await storm(runs);
	await settled();
	expect(Object.keys(await openWork(gateway.url))).toContain('parley_clients{wire="grpc"}');
	await expect.poll(() => holdings().sockets, { timeout: paced(10_000) }).toBeLessThanOrEqual(before.sockets);
	const after = holdings();
	expect(after.children).toBeLessThanOrEqual(before.children);
	expect(after.timers).toBeLessThanOrEqual(before.timers + timersOfUse);
	expect(gateway.log.records.filter(({ level }) => level === "error")).toEqual([]);
});
