import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../random.ts";
import { makeHttpAttack } from "./http-requests.ts";
import { RawSocket } from "./raw-socket.ts";
import { Siege } from "./siege.ts";

const total = 200 * testScale(15, 50);
/** Number of concurrent attacks, below the gateway's limit of unauthenticated connections per address. */
const workers = 16;

test("malformed HTTP gets a response or a close and leaves no memory in use, and a healthy client is served at the same time", async () => {
	const seed = testSeed();
	const random = new Random(seed);
	await using siege = await Siege.begin();
	const answers = new Map<string, Map<string, number>>();
	const faults: string[] = [];

	const attackOnce = async (): Promise<void> => {
		const { kind, bytes, isWellFormed } = makeHttpAttack(random, siege.port);
		const socket = await RawSocket.open(siege.port);
		try {
			socket.write(bytes);
			if (!isWellFormed) socket.end();
			await socket.until("the gateway ends the connection or leaves it open", () =>
				isLeftOpen(socket.received),
			);
			const answer = readStatus(socket.received);
			const counts = answers.get(kind) ?? new Map<string, number>();
			answers.set(kind, counts.set(answer, (counts.get(answer) ?? 0) + 1));
			if (!isExpected(kind, answer))
				faults.push(`${answer}: ${JSON.stringify(bytes.toString("latin1").slice(0, 300))}`);
		} catch (reason) {
			faults.push(`${kind}: ${reason}: ${JSON.stringify(bytes.toString("latin1").slice(0, 300))}`);
		}
		socket.destroy();
		siege.progress();
	};
	const attack = async (until: number): Promise<void> => {
		const work = async (): Promise<void> => {
			while (siege.steps < until && faults.length < 20) await attackOnce();
		};
		await Promise.all(Array.from({ length: workers }, work));
	};

	await siege.during(() => attack(total / 10));
	await siege.mark();
	await siege.during(() => attack(total));
	const result = await siege.end();
	process.stdout.write(
		`${table(answers)}\n${siege.steps} connections; ${result.summary}\nPARLEY_TEST_SEED=${seed}\n`,
	);

	expect(faults).toEqual([]);
	expect(result.faults).toEqual([]);
	expect(siege.steps).toBeGreaterThanOrEqual(total);
});

function isExpected(kind: string, answer: string): boolean {
	if (answer === "101") return kind === "upgrade";
	return /^(nothing|HTTP\/2|20[01]|4\d\d)$/.test(answer);
}

/** Whether the connection stays open for an upgrade or for further requests. */
function isLeftOpen(received: Buffer): boolean {
	return (
		readStatus(received) === "101" || /\r\nConnection: keep-alive\r\n/i.test(received.toString("latin1"))
	);
}

function readStatus(received: Buffer): string {
	if (received.length === 0) return "nothing";
	// The first frame of a server is SETTINGS on stream 0: RFC 9113, section 3.4.
	if (received.length > 8 && received[3] === 4 && received.readUInt32BE(5) === 0) return "HTTP/2";
	const text = received.toString("latin1").replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
	const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
	return status ?? `bytes ${received.subarray(0, 20).toString("hex")}`;
}

function table(answers: ReadonlyMap<string, ReadonlyMap<string, number>>): string {
	return [...answers]
		.map(([kind, counts]) => {
			const cells = [...counts].sort().map(([answer, count]) => `${answer} × ${count}`);
			return `${kind.padEnd(18)}${cells.join(", ")}`;
		})
		.sort()
		.join("\n");
}
