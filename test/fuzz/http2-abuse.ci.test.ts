import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Random, testSeed } from "../random.ts";
import { http2Kinds, lastPing, makeHttp2Attack } from "./http2-attacks.ts";
import { RawSocket } from "./raw-socket.ts";
import { Siege } from "./siege.ts";

/** Number of connections of each attack kind before the first memory measurement. */
const before = 2;
/** Number of connections of each attack kind between the two memory measurements. */
const after = 8;
const workers = 3;

test("abuse of HTTP/2 costs at most a connection: memory is released, and a healthy client is served at the same time", {
	timeout: paced(120_000),
}, async () => {
	const seed = testSeed();
	const random = new Random(seed);
	await using siege = await Siege.begin();
	const { token } = siege;
	const faults: string[] = [];
	const outcomes = new Map<string, number>();

	const attackWith = async (kind: string): Promise<void> => {
		const { bytes, outcome } = makeHttp2Attack(kind, random, token);
		const socket = await RawSocket.open(siege.port);
		try {
			socket.write(bytes);
			let isAnswered = false;
			await socket.until("the connection ends or its last ping is answered", () => {
				isAnswered ||= socket.received.subarray(-10_000).includes(lastPing);
				return isAnswered;
			});
			const actual = isAnswered ? "served" : "ended";
			if (outcome === "ends" && isAnswered) faults.push(`${kind} was served to its end`);
			outcomes.set(`${kind}: ${actual}`, (outcomes.get(`${kind}: ${actual}`) ?? 0) + 1);
		} catch (reason) {
			faults.push(`${kind}: ${reason}`);
		}
		socket.destroy();
		siege.progress();
	};
	const attack = async (rounds: number): Promise<void> => {
		const remaining = random.shuffle(Array.from({ length: rounds }, () => http2Kinds).flat());
		const work = async (): Promise<void> => {
			for (let kind = remaining.pop(); kind !== undefined; kind = remaining.pop()) await attackWith(kind);
		};
		await Promise.all(Array.from({ length: workers }, work));
	};

	await siege.during(() => attack(before), 10);
	await siege.mark();
	await siege.during(() => attack(after), 10);
	const result = await siege.end();
	const table = [...outcomes].map(([key, count]) => `${key} × ${count}`).sort();
	process.stdout.write(`${table.join("\n")}\n${result.summary}\nPARLEY_TEST_SEED=${seed}\n`);

	expect(faults).toEqual([]);
	expect(result.faults).toEqual([]);
});
