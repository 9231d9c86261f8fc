import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { seededIds } from "@parley/base/testing";
import { type Client, createClient, type EventFrame, type OpenSession } from "@parley/protocol";
import { afterEach, beforeEach, expect, onTestFinished, type TestContext, test } from "vitest";
import { binary, choosePort, GatewayProcess } from "../gateway-process.ts";
import { SmallDisk } from "./small-disk.ts";

const full =
	"the store could not commit: the disk is full; free some space, nothing acknowledged was lost" as const;
let root: string;
let port: number;

beforeEach(async () => {
	root = mkdtempSync(join(tmpdir(), "parley-disk-full-"));
	port = await choosePort();
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function mounted(context: TestContext): SmallDisk {
	const disk = SmallDisk.mount(8);
	if (!disk) context.skip("mounting a small file system needs root");
	onTestFinished(() => disk[Symbol.dispose]());
	return disk;
}

async function start(data: string): Promise<GatewayProcess> {
	const gateway = new GatewayProcess({ port, data, root });
	onTestFinished(async () => {
		gateway.kill("SIGKILL");
		await gateway.exited;
	});
	expect(await gateway.ready).toBe(true);
	return gateway;
}

function connect(seed = 1): Client {
	const client = createClient({ url: `http://127.0.0.1:${port}`, clock: systemClock, ids: seededIds(seed) });
	onTestFinished(() => client.close());
	return client;
}

async function health(): Promise<{ readonly status: number; readonly body: unknown }> {
	const response = await fetch(`http://127.0.0.1:${port}/api/health`);
	return { status: response.status, body: await response.json() };
}

/** Sends up to 500 messages. `why` is the error, or undefined if the gateway accepts all of them. */
async function sendUntilRefused(
	client: Client,
	session: string,
): Promise<{ accepted: string[]; why: unknown }> {
	const accepted: string[] = [];
	for (let n = 0; n < 500; n++) {
		const content = `say: message ${n} ${"x".repeat(500)}`;
		try {
			await client.request("send_message", { content }, { sessionId: session });
			accepted.push(content);
		} catch (why) {
			return { accepted, why };
		}
	}
	return { accepted, why: undefined };
}

async function until(session: OpenSession, isTrue: (frame: EventFrame) => boolean): Promise<EventFrame> {
	for await (const frame of session.events()) if (isTrue(frame)) return frame;
	throw new Error("the session ended");
}

async function messagesIn(session: string): Promise<string[]> {
	const reader = await connect(2).open({ session_id: session, after_seq: 0 });
	const messages: string[] = [];
	await until(reader, ({ event, payload, seq }) => {
		if (event === "user.message") messages.push(String(Object(payload).content));
		return seq >= reader.lastSeq;
	});
	return messages;
}

test("a full disk refuses new writes, loses no accepted write, and work continues when space is free", async (context) => {
	const disk = mounted(context);
	const gateway = await start(join(disk.path, "data"));
	const client = connect();
	const quick = await client.open({});
	const slow = await client.open({});
	await client.request(
		"send_message",
		{ content: "long: 20 tokens at 20 per second" },
		{ sessionId: slow.id },
	);
	await until(slow, ({ event }) => event === "assistant.stream");

	disk.fill();
	const { accepted, why } = await sendUntilRefused(client, quick.id);
	expect(why).toMatchObject({ code: "unavailable", message: full });
	expect(await health()).toEqual({ status: 503, body: { status: "degraded" } });
	await gateway.line("a run could not be recorded and is retried");
	// The gateway refuses later messages with the same error, but logs the error only once.
	for (let n = 0; n < 20; n++) {
		const repeated = client.request("send_message", { content: `lost ${n}` }, { sessionId: quick.id });
		await expect(repeated).rejects.toMatchObject({ message: full });
	}
	const lines = gateway.stderr.filter((line) =>
		line.includes("the disk is full: the gateway stores nothing"),
	);
	expect(lines).toHaveLength(1);
	expect(gateway.stderr.length).toBeLessThan(20);

	disk.free();
	// The store recovers without further messages, because the health check also uses the store.
	while ((await health()).status !== 200);
	await gateway.line("the store commits again");
	expect(gateway.stderr.filter((line) => line.includes("the store commits again"))).toHaveLength(1);
	const after = "say: after";
	await client.request("send_message", { content: after }, { sessionId: quick.id });
	const repeated = await client.open({ session_id: slow.id, after_seq: 0 }).catch(() => slow);
	const ended = await until(repeated, ({ event }) => event === "assistant.message");
	expect(ended.payload).toMatchObject({ error: "" });
	expect(await messagesIn(quick.id)).toEqual([...accepted, after]);

	// After a kill, the gateway reads its files again. No message must be missing.
	gateway.kill("SIGKILL");
	await gateway.exited;
	await start(join(disk.path, "data"));
	expect(await messagesIn(quick.id)).toEqual([...accepted, after]);
});

test("on a full disk the gateway stops normally, and a start reports the cause", async (context) => {
	const disk = mounted(context);
	const data = join(disk.path, "data");
	const first = await start(data);
	const client = connect();
	const session = await client.open({});
	disk.fill();
	const { accepted } = await sendUntilRefused(client, session.id);
	first.kill("SIGTERM");
	expect(await first.exited).toEqual({ code: 0, signal: null });

	disk.fill();
	const second = new GatewayProcess({ port, data, root });
	expect(await second.ready).toBe(false);
	expect(second.stderr.join("\n")).toContain("the disk is full");
	disk.free();
	await start(data);
	expect(await messagesIn(session.id)).toEqual(accepted);
});

test("a gateway whose log has no space continues without it", async () => {
	// Every write to this device fails as on a full disk: full(4).
	const noRoom = openSync("/dev/full", "w");
	const flags = ["--listen", `127.0.0.1:${port}`, "--data", join(root, "data"), "--log-level", "debug"];
	const child = spawn(process.execPath, [binary, "gateway", ...flags], { stdio: ["ignore", "pipe", noRoom] });
	closeSync(noRoom);
	const exited = once(child, "exit");
	onTestFinished(async () => {
		child.kill("SIGKILL");
		await exited;
	});
	if (!child.stdout) throw new Error("nothing can be read of it");
	await once(child.stdout, "data");
	expect(await health()).toEqual({ status: 200, body: { status: "ok" } });
	child.kill("SIGTERM");
	expect(await exited).toEqual([0, null]);
});
