import { delay, systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { Random, testScale, testSeed } from "../random.ts";
import { Binary } from "./binary.ts";
import { StormClient } from "./storm-client.ts";

const clientCount = 100 * testScale(20);
const clientsPerSession = 50;
/** Milliseconds after the lost connections within which all clients start to reconnect. */
const rushMs = 1_000;
/** Milliseconds within which all clients must be connected again. */
const backMs = 20_000;
const messageEveryMs = 50;
/** Share of a CPU below which a gateway is idle. */
const idleShare = 0.2;
const idleWithinMs = 30_000;

test(`${clientCount} clients drop at the same time, resume in time, and miss no event`, async () => {
	const seed = testSeed();
	const random = new Random(seed);
	await using binary = await Binary.start();
	await using writer = await OzzieClient.connect(binary.url);
	const sessions: string[] = [];
	for (let n = 0; n < clientCount / clientsPerSession; n++)
		sessions.push(await writer.open({ external_key: `room ${n}`, join: true }));
	const url = `${binary.url.replace("http", "ws")}/api/ws`;
	const clients = Array.from(
		{ length: clientCount },
		(_, n) => new StormClient(url, sessions[n % sessions.length] ?? ""),
	);
	const calmMs = await rush(clients, random, 2 * clientCount);

	const writing = new AbortController();
	const written = write(writer, sessions, writing.signal);
	await Promise.all(clients.map((client) => client.reaches(2)));
	for (const client of clients) client.drop();
	const storm = await rush(clients, random, rushMs);
	writing.abort();
	const messages = await written;

	const last = await lastNumbers(writer, sessions);
	await Promise.all(clients.map((client, n) => client.reaches(last[n % sessions.length] ?? 0)));
	const idleMs = await idleAfter(binary);
	const refusals = clients.flatMap((client) => client.refusals);
	process.stdout.write(
		`${clientCount} clients came in ${calmMs} ms, came back in ${storm} ms while ${messages} messages were said; ` +
			`${refusals.length} attempts were made again; idle after ${idleMs} ms, PARLEY_TEST_SEED=${seed}\n`,
	);
	expect(clients.flatMap((client) => client.faults)).toEqual([]);
	expect(storm).toBeLessThan(backMs);
	expect(messages).toBeGreaterThan(0);
	// Clients retry a refused connection. The gateway must not refuse a client because of its credentials or requests.
	expect(refusals.filter((text) => /\b(?:401|403|421|429)\b/.test(text))).toEqual([]);
	expect((await fetch(`${binary.url}/api/health`)).status).toBe(200);
	for (const client of clients) client.drop();
});

/** Connects the clients, and returns the milliseconds until all of them are connected. */
async function rush(clients: readonly StormClient[], random: Random, withinMs: number): Promise<number> {
	const began = performance.now();
	const arrive = async (client: StormClient, firstMs: number): Promise<void> => {
		await delay(systemClock, firstMs);
		// Like real clients, the clients retry after growing random delays, which spread the attempts
		// over time.
		for (let pauseMs = 500; !(await client.connect()); pauseMs = Math.min(4_000, pauseMs * 2))
			await delay(systemClock, random.between(pauseMs / 2, pauseMs));
	};
	await Promise.all(clients.map((client) => arrive(client, random.below(withinMs))));
	return Math.round(performance.now() - began);
}

/** Sends at least one message to each session. Returns the number of messages. */
async function write(writer: OzzieClient, sessions: readonly string[], signal: AbortSignal): Promise<number> {
	let count = 0;
	while (!signal.aborted || count < sessions.length) {
		const session_id = sessions[count % sessions.length];
		await writer.call("send_message", { content: `say: number ${count}` }, { session_id });
		count++;
		await delay(systemClock, messageEveryMs);
	}
	return count;
}

/** Waits for the end of all runs. Returns the last sequence number of each session. */
async function lastNumbers(writer: OzzieClient, sessions: readonly string[]): Promise<number[]> {
	for (;;) {
		const { sessions: listed } = await writer.call("list_sessions", { limit: 1_000 });
		const rows = Array.isArray(listed) ? listed : [];
		const states = sessions.map((id) => Object(rows.find((row) => row.session_id === id)));
		if (states.every(({ state }) => state === "idle")) return states.map(({ last_seq }) => Number(last_seq));
		await delay(systemClock, messageEveryMs);
	}
}

/**
 * Returns the milliseconds before the first second in which the gateway is idle. Rejects if the gateway is not idle
 * within `idleWithinMs`.
 */
async function idleAfter(binary: Binary): Promise<number> {
	const began = performance.now();
	for (;;) {
		const [from, before] = [performance.now(), binary.cpuSeconds()];
		await delay(systemClock, 1_000);
		const share = (binary.cpuSeconds() - before) / ((performance.now() - from) / 1_000);
		if (share < idleShare) return Math.round(from - began);
		if (performance.now() - began > idleWithinMs) throw new Error(`still busy: ${share}`);
	}
}
