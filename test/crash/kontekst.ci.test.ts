import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { KontekstStream } from "../conformance/drivers/kontekst-client.ts";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

test("a kill of the gateway cancels the runs of kontekst streams that need a decision, and the others continue", {
	timeout: paced(patienceMs * 3),
}, async () => {
	await using stack = new AsyncDisposableStack();
	const directory = await mkdtemp(join(tmpdir(), "parley-kontekst-"));
	stack.defer(() => rm(directory, { recursive: true, force: true }));
	const [data, root] = [join(directory, "data"), join(directory, "root")];
	await mkdir(root);
	const port = await choosePort();
	const url = `http://127.0.0.1:${port}`;
	let gateway: GatewayProcess | undefined;
	const kill = async (): Promise<void> => {
		gateway?.kill("SIGKILL");
		await gateway?.exited;
	};
	stack.defer(kill);
	const start = async (): Promise<void> => {
		gateway = new GatewayProcess({ port, data, root });
		if (!(await gateway.ready)) throw new Error(`the gateway does not start:\n${gateway.stderr.join("\n")}`);
	};
	const follow = async (session_id: unknown): Promise<OzzieClient> => {
		const client = stack.use(await OzzieClient.connect(url));
		await client.open({ session_id, after_seq: 0 });
		return client;
	};
	const run = (prompt: string, sessionId: unknown = ""): KontekstStream => {
		const stream = stack.use(new KontekstStream(url));
		stream.start({ prompt, sessionId });
		return stream;
	};
	const idOf = async (stream: KontekstStream) => (await stream.started())["sessionId"];

	await start();
	const undecided = run("write: a.txt <<< one");
	await undecided.proposed();
	const undecidedId = await idOf(undecided);
	const before = await follow(undecidedId);
	run("write: b.txt <<< two", undecidedId);
	while ((await before.event("user.message")).payload["content"] !== "write: b.txt <<< two");
	const replies = run("long: 20 tokens at 20 per second");
	const writes = run("long: 20 tokens at 20 per second\nwrite: c.txt <<< three");
	await Promise.all([replies.until("token"), writes.until("token")]);
	const [replying, writing] = [await idOf(replies), await idOf(writes)];
	await kill();

	await start();
	const cancelled = { error: "cancelled" };
	const after = await follow(undecidedId);
	expect((await after.event("assistant.message")).payload).toMatchObject(cancelled);
	expect((await after.event("assistant.message")).payload).toMatchObject(cancelled);
	const wrote = await follow(writing);
	expect((await wrote.event("assistant.message")).payload).toMatchObject(cancelled);
	const replied = await follow(replying);
	expect((await replied.event("assistant.message")).payload).toMatchObject({ error: "" });
	expect(await readdir(root)).toEqual([]);

	const next = run("write: d.txt <<< four", undecidedId);
	const [call] = await next.proposed();
	next.approve(call?.callId ?? "");
	await next.until("completed");
	expect(await readdir(root)).toEqual(["d.txt"]);
});
