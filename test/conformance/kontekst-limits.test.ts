import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel } from "@parley/core/testing";
import { afterEach, expect, vi } from "vitest";
import { encodeCommand } from "./drivers/kontekst-client.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { type RawCall, RawConnection, Relay } from "./drivers/raw-calls.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const status = { ok: 0, deadlineExceeded: 4, resourceExhausted: 8 };
/** Error code REFUSED_STREAM: https://www.rfc-editor.org/rfc/rfc9113#section-7 */
const refusedStream = 7;
const kib = 1024;
const paths = {
	run: "/kontekst.AgentService/Run",
	getStatus: "/kontekst.DaemonService/GetStatus",
	health: "/grpc.health.v1.Health/Check",
};

afterEach(() => {
	vi.useRealTimers();
});

/** Returns the size of an entry in a header list: https://www.rfc-editor.org/rfc/rfc9113#section-6.5.2 */
function entryBytes(name: string, value: string): number {
	return name.length + value.length + 32;
}

verifiesOn(
	"kontekst",
	["kontekst.header-list"],
	"a header list of 16 KiB is served, and one of a byte more is refused",
	async () => {
		await using gateway = await TestGateway.start();
		await using connection = new RawConnection(gateway.url);
		const ask = async (path: string, bytes: number): ReturnType<RawCall["ended"]> => {
			const { host } = new URL(gateway.url);
			const pseudo = { ":method": "POST", ":scheme": "http", ":path": path, ":authority": host };
			const known = Object.entries(pseudo).reduce((sum, [name, value]) => sum + entryBytes(name, value), 0);
			const remaining = bytes - known - entryBytes("x-fill", "");
			const call = connection.call(path, { "x-fill": "a".repeat(remaining) });
			call.send(Buffer.alloc(0));
			call.end();
			return call.ended();
		};
		for (const path of [paths.getStatus, paths.health]) {
			expect(await ask(path, 16 * kib)).toMatchObject({ status: status.ok });
			expect(await ask(path, 16 * kib + 1)).toMatchObject({
				status: status.resourceExhausted,
				message: "header list of 16385 bytes: send at most 16384 bytes of metadata",
			});
		}
		const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
		expect(metrics).toMatch(/^parley_http_refused_total\{reason="headers"\} 2$/m);
		expect(await ask(paths.getStatus, 70 * kib)).toMatchObject({ status: status.resourceExhausted });
		expect(await connection.reached()).toBe(true);
	},
);

/** Returns a message of `bytes` bytes whose only field is unknown to the schema. */
function messageOf(bytes: number): Buffer {
	const message = Buffer.alloc(bytes);
	const remaining = bytes - 5;
	// Field 15, length-delimited, with a length encoded as a four-byte varint.
	message[0] = (15 << 3) | 2;
	for (let group = 0; group < 4; group++) {
		message[group + 1] = ((remaining >> (7 * group)) & 0x7f) | (group < 3 ? 0x80 : 0);
	}
	return message;
}

verifiesOn(
	"kontekst",
	["kontekst.message-size"],
	"a message of 12 MiB is read, and one of a byte more ends its call",
	async () => {
		await using gateway = await TestGateway.start();
		await using connection = new RawConnection(gateway.url);
		const ask = (bytes: number): ReturnType<RawCall["ended"]> => {
			const call = connection.call(paths.getStatus);
			call.send(messageOf(bytes));
			call.end();
			return call.ended();
		};
		const maximum = 12 * kib * kib;
		expect(await ask(maximum)).toMatchObject({ status: status.ok });
		expect(await ask(maximum + 1)).toMatchObject({ status: status.resourceExhausted });
		expect(await ask(0)).toMatchObject({ status: status.ok });
	},
);

verifiesOn(
	"kontekst",
	["kontekst.streams"],
	"256 streams of a connection are served, and one more is refused",
	async () => {
		await using gateway = await TestGateway.start();
		// The calls start before the client has received the limit. A client that knows the limit delays further calls.
		await using connection = new RawConnection(gateway.url);
		const streams = Array.from({ length: 257 }, () => {
			const call = connection.call(paths.run);
			// The gateway responds to a `start` without a prompt and keeps the stream open.
			call.send(encodeCommand({ start: {} }));
			return call;
		});
		await Promise.all(streams.map((stream) => stream.answered()));
		expect(streams.map(({ isAnswered }) => isAnswered)).toEqual([...Array(256).fill(true), false]);
		expect(await streams.at(-1)?.ended()).toMatchObject({ status: undefined, reset: refusedStream });
		expect(streams.filter(({ hasEnded }) => hasEnded)).toHaveLength(1);
		expect(connection.maxCalls).toBe(256);
	},
);

async function startTimed(): Promise<TestGateway> {
	const write = calls("call_a", "write_file", { path: "a.txt", content: "one" });
	const model = new ScriptedModel([write]);
	const gateway = await TestGateway.start({ clock: new ManualClock(), model });
	// Fake timers also replace the timers that grpc-js uses.
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
	return gateway;
}

/** Starts a run. Resolves when the run waits for a decision. */
async function startWaiting(
	{ url }: TestGateway,
	connection: RawConnection,
	headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly call: RawCall; readonly reader: OzzieClient }> {
	const sessionId = "sess_20261121T202026.179664167_c7b5f496054a";
	const call = connection.call(paths.run, headers);
	call.send(encodeCommand({ start: { prompt: "write", sessionId } }));
	await call.answered();
	const reader = await OzzieClient.connect(url);
	await reader.open({ session_id: sessionId, after_seq: 0 });
	await reader.event("prompt.request");
	return { call, reader };
}

verifiesOn(
	"kontekst",
	["kontekst.dead-client"],
	"a client that disappeared is noticed after 40 s, and its run is cancelled",
	async () => {
		await using gateway = await startTimed();
		await using relay = await Relay.open(gateway.url);
		await using connection = new RawConnection(gateway.url, relay);
		const { reader } = await startWaiting(gateway, connection);
		await using _ = reader;
		relay.cut();
		vi.advanceTimersByTime(39_999);
		const ended = reader.event("assistant.message");
		let isEnded = false;
		void ended.then(() => {
			isEnded = true;
		});
		expect(await openCalls(gateway)).toBe(1);
		expect(isEnded).toBe(false);
		vi.advanceTimersByTime(1);
		expect((await ended).payload).toMatchObject({ error: "cancelled" });
		await connection.closed();
		expect(await openCalls(gateway)).toBe(0);
	},
);

async function openCalls({ url }: TestGateway): Promise<number> {
	const metrics = await (await fetch(`${url}/metrics`)).text();
	return Number(/^parley_clients\{wire="grpc"\} (\d+)$/m.exec(metrics)?.[1]);
}

verifiesOn(
	"kontekst",
	["kontekst.keepalive"],
	"a client that answers each keepalive keeps its stream, and without a call its connection ends after 10 minutes",
	async () => {
		await using gateway = await startTimed();
		await using connection = new RawConnection(gateway.url);
		const { call, reader } = await startWaiting(gateway, connection);
		await using _ = reader;
		const passHalfMinutes = async (count: number): Promise<void> => {
			for (let round = 0; round < count; round++) {
				const pinged = connection.pinged();
				vi.advanceTimersByTime(30_000);
				await pinged;
				expect(await connection.reached()).toBe(true);
			}
		};
		await passHalfMinutes(25);
		expect(call.hasEnded).toBe(false);
		call.cancel();
		await reader.event("assistant.message");
		expect(await connection.reached()).toBe(true);
		await passHalfMinutes(19);
		vi.advanceTimersByTime(29_999);
		expect(await connection.reached()).toBe(true);
		vi.advanceTimersByTime(1);
		await connection.closed();
	},
);

verifiesOn(
	"kontekst",
	["kontekst.pings"],
	"a client that pings without end does not affect other clients",
	async () => {
		await using gateway = await TestGateway.start();
		await using connection = new RawConnection(gateway.url);
		await using other = new RawConnection(gateway.url);
		for (let round = 0; round < 20; round++) {
			const pings = Array.from({ length: 500 }, () => connection.reached());
			const call = other.call(paths.getStatus);
			call.send(Buffer.alloc(0));
			call.end();
			expect(await call.ended()).toMatchObject({ status: status.ok });
			// Each ping gets a response, or fails when the connection closes.
			expect(await Promise.all(pings)).toHaveLength(500);
		}
		expect(await other.reached()).toBe(true);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.deadline"],
	"a call ends with DEADLINE_EXCEEDED at its deadline and not before, and a run that waits for a decision is cancelled",
	async () => {
		await using gateway = await startTimed();
		await using connection = new RawConnection(gateway.url);
		const { call, reader } = await startWaiting(gateway, connection, { "grpc-timeout": "20S" });
		await using _ = reader;
		vi.advanceTimersByTime(19_999);
		expect(await connection.reached()).toBe(true);
		expect(call.hasEnded).toBe(false);
		vi.advanceTimersByTime(1);
		expect(await call.ended()).toMatchObject({ status: status.deadlineExceeded });
		expect((await reader.event("assistant.message")).payload).toMatchObject({ error: "cancelled" });
	},
);
