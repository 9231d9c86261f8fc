import { delay, systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { DrainClient } from "../bench/measure/drain-client.ts";
import { median } from "../bench/measure/report.ts";
import { openSession, request } from "../bench/measure/requests.ts";
import { type ServerProcess, startServer } from "../bench/measure/server-process.ts";
import { testScale } from "../random.ts";
import { StormClient } from "./storm-client.ts";

/** Those that read. */
const subscribers = 10 * testScale(10) - 1;
/** Each with and without the one that never reads. */
const rounds = testScale(1, 3);
/**
 * Other tests run on the same cores meanwhile, which alone has made the ratio anything from 0.7 to 1.1: what is asserted is
 * that nobody waits for the one that sleeps. The figures of a run by itself are printed.
 */
const least = 0.5;
/** Replies of one run, each a mebibyte of deltas and then its text once more: far more than kernel and gateway hold. */
const replies = 12;
const [ticks, each, size] = [32, 8, 4_000];
/** The gateway bears with a reader above its budget for 5 s. */
const patienceMs = 6_000;
/**
 * Of what the gateway counts: what the whole process has resident differs by several times as much from run to run, and is
 * only shown. Above 8 MiB a reader loses its deltas, and at twice that it is closed at once.
 */
const mostHeld = 16 * 1024 * 1024;

interface Run {
	readonly seconds: number;
	readonly cpuSeconds: number;
	/** What the process held at the end, in bytes. */
	readonly memory: number;
	/** The most that waited for clients behind any reply, in bytes: what the gateway itself counts. */
	readonly held: number;
}

test(`one of ${subscribers + 1} subscribers never reads: the others are as fast as without it`, {
	timeout: 280_000,
}, async () => {
	const server = await startServer("gateway");
	await using _ = { [Symbol.asyncDispose]: () => server.stop() };
	const [calm, slow]: [Run[], Run[]] = [[], []];
	await stream(server, { stalled: false, replies: 3 });
	for (let round = 0; round < rounds; round++) {
		for (const stalled of round % 2 === 0 ? [false, true] : [true, false])
			(stalled ? slow : calm).push(await stream(server, { stalled, replies }));
	}
	const ratio = (what: "seconds" | "cpuSeconds"): number =>
		median(calm.map((run) => run[what])) / median(slow.map((run) => run[what]));
	const growth = median(slow.map((run) => run.memory)) - median(calm.map((run) => run.memory));
	const held = Math.max(...slow.map((run) => run.held));
	process.stdout.write(
		`throughput of ${subscribers} with one that never reads: ${ratio("seconds").toFixed(2)} × by the clock, ` +
			`${ratio("cpuSeconds").toFixed(2)} × by CPU; ${mebibytes(held)} waited for it at most, ` +
			`the process held ${mebibytes(growth)} more\n`,
	);
	expect(ratio("cpuSeconds")).toBeGreaterThan(least);
	expect(held).toBeGreaterThan(0);
	expect(held).toBeLessThan(mostHeld);
});

/** Streams to all subscribers of a new session, of whom one may never read; that one is closed, and then catches up. */
async function stream(
	server: ServerProcess,
	{ stalled, replies: count }: { readonly stalled: boolean; readonly replies: number },
): Promise<Run> {
	const opener = await DrainClient.open(server.port, "/api/ws");
	const session = await openSession(opener, {});
	const clients = [opener];
	while (clients.length < subscribers) {
		const client = await DrainClient.open(server.port, "/api/ws");
		await openSession(client, { session_id: session });
		clients.push(client);
	}
	const sleeper = new StormClient(`ws://127.0.0.1:${server.port}/api/ws`, session);
	if (stalled) {
		await sleeper.come();
		await sleeper.reaches(1);
		sleeper.reading(false);
	}
	let [held, seconds, cpuSeconds] = [0, 0, 0];
	for (let reply = 0; reply < count; reply++) {
		const [began, before] = [performance.now(), await server.cpu()];
		const ended = Promise.all(clients.map((client) => client.until('"event":"assistant.message"')));
		opener.send(request("send_message", { content: `${ticks} ${each} ${size}` }));
		await ended;
		seconds += (performance.now() - began) / 1_000;
		cpuSeconds += ((await server.cpu()) - before) / 1e6;
		// Between the replies, so that counting takes no part in what is measured.
		held = Math.max(held, await outgoingBytes(server.port));
	}
	const memory = await server.memory();
	if (stalled) await catchUp(sleeper, count);
	for (const client of clients) client.close();
	return { seconds, cpuSeconds, memory, held };
}

/** Bytes that wait for clients, as `/metrics` tells. */
async function outgoingBytes(port: number): Promise<number> {
	const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
	return Number(/^parley_outgoing_bytes\{.*\} (\d+)$/m.exec(text)?.[1]);
}

function mebibytes(bytes: number): string {
	return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** What it reads now is what was on its way; then it learns that it was too slow, and comes back for the rest. */
async function catchUp(sleeper: StormClient, messages: number): Promise<void> {
	await delay(systemClock, patienceMs);
	sleeper.reading(true);
	expect(await sleeper.closed()).toBe(1013);
	// A message and its answer are user.message, internal.llm.call, usage.updated and assistant.message.
	const last = 1 + 4 * messages;
	expect(sleeper.seq).toBeLessThan(last);
	expect(await sleeper.come()).toBe(true);
	await sleeper.reaches(last);
	expect(sleeper.faults).toEqual([]);
	sleeper.drop();
}
