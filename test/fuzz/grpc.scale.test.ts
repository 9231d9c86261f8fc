import { type ClientHttp2Session, connect } from "node:http2";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../random.ts";
import { Watch } from "../watch.ts";
import { type GrpcAttack, makeGrpcAttack } from "./grpc-messages.ts";
import { Siege } from "./siege.ts";

const total = 10_000 * testScale(3, 100);
const connections = 4;
const streams = 16;
/** Number of streams after which a connection is replaced. */
const perConnection = 400;

/** Returns the gRPC status of the response. Without a gRPC response, returns the HTTP status or a description. */
async function attackWith(session: ClientHttp2Session, { headers, body }: GrpcAttack): Promise<string> {
	const watch = new Watch();
	let status: string | undefined;
	let isClosed = false;
	const stream = session.request(headers);
	const receive = (answer: Readonly<Record<string, unknown>>): void => {
		const value =
			answer["grpc-status"] ?? (answer[":status"] === 200 ? undefined : `HTTP ${answer[":status"]}`);
		if (value !== undefined) status = String(value);
	};
	stream
		.on("response", receive)
		.on("trailers", receive)
		.on("error", () => undefined)
		.resume();
	stream.on("close", () => {
		isClosed = true;
		watch.notify();
	});
	stream.end(body);
	await watch.until("the stream is answered", () => isClosed);
	return status ?? `reset with ${stream.rstCode}`;
}

test("malformed gRPC messages get a status each and leave no memory in use, and a healthy client is served at the same time", async () => {
	const seed = testSeed();
	const random = new Random(seed);
	await using siege = await Siege.begin();
	const { token } = siege;
	const faults: string[] = [];
	const answers = new Map<string, number>();
	let messages = 0;

	const attackOnce = async (session: ClientHttp2Session): Promise<void> => {
		const grpcAttack = makeGrpcAttack(random);
		const attack = { ...grpcAttack, headers: { ...grpcAttack.headers, authorization: `Bearer ${token}` } };
		const answer = await attackWith(session, attack);
		messages += grpcAttack.messages;
		const key = `${grpcAttack.kind}: ${answer}`;
		answers.set(key, (answers.get(key) ?? 0) + 1);
		if (!isExpected(grpcAttack.kind, answer))
			faults.push(`${key}: ${grpcAttack.body.toString("hex").slice(0, 200)}`);
		siege.progress();
	};
	const attack = async (until: number): Promise<void> => {
		const work = async (): Promise<void> => {
			while (messages < until && faults.length < 20) {
				const session = connect(`http://127.0.0.1:${siege.port}`);
				session.on("error", (error) => faults.push(String(error)));
				let remaining = perConnection;
				const stream = async (): Promise<void> => {
					while (remaining-- > 0 && messages < until && faults.length < 20) await attackOnce(session);
				};
				await Promise.all(Array.from({ length: streams }, stream));
				session.destroy();
			}
		};
		await Promise.all(Array.from({ length: connections }, work));
	};

	await siege.during(() => attack(total / 5), 500);
	await siege.mark();
	await siege.during(() => attack(total), 500);
	const result = await siege.end();
	const table = [...answers].map(([key, count]) => `${key} × ${count}`).sort();
	process.stdout.write(
		`${table.join("\n")}\n${messages} messages; ${result.summary}\nPARLEY_TEST_SEED=${seed}\n`,
	);

	expect(faults).toEqual([]);
	expect(result.faults).toEqual([]);
	expect(messages).toBeGreaterThanOrEqual(total);
});

function isExpected(kind: string, answer: string): boolean {
	// For a POST with the path `*`, the HTTP/2 layer resets the stream.
	return /^(0|3|4|5|8|12|13|HTTP 415)$/.test(answer) || (kind === "paths" && answer === "reset with 1");
}
