import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { status } from "@grpc/grpc-js";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { RozStream, RozTeam } from "../conformance/drivers/roz-client.ts";
import { submit } from "../conformance/task-client.ts";
import { choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

const timeout = paced(patienceMs * 3);

/** Returns functions that start and kill a gateway at `url`. Disposal of `stack` kills the last process. */
async function mortalGateway(stack: AsyncDisposableStack) {
	const directory = await mkdtemp(join(tmpdir(), "parley-roz-"));
	stack.defer(() => rm(directory, { recursive: true, force: true }));
	const [data, root] = [join(directory, "data"), join(directory, "root")];
	await mkdir(root);
	const port = await choosePort();
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
	return { url: `http://127.0.0.1:${port}`, start, kill };
}

const look = { name: "look", description: "Looks", category: "TOOL_CATEGORY_PURE" };
const dig = { name: "dig", description: "Digs", category: "TOOL_CATEGORY_PHYSICAL" };

test("calls that clients run when the gateway is killed end as interrupted, and a client that continues the session offers its tools again", {
	timeout,
}, async () => {
	await using stack = new AsyncDisposableStack();
	const { url, start, kill } = await mortalGateway(stack);
	await start();
	const first = stack.use(new RozStream(url));
	const { sessionId } = await first.start({ tools: [look, dig] });
	first.say('tool: look {"at":"a"}\n& tool: look {"at":"b"}\n& tool: dig {}', { messageId: "m1" });
	await first.until("toolRequest");
	await first.until("toolRequest");
	await kill();
	expect(await first.ended()).toMatchObject({ code: status.UNAVAILABLE });

	await start();
	const reader = stack.use(await OzzieClient.connect(url));
	await reader.open({ session_id: sessionId, after_seq: 0 });
	const ended: unknown[] = [];
	for (;;) {
		const { event, payload } = await reader.event();
		const { name, status: state, error } = payload;
		if (event === "tool.call" && state !== "started") ended.push({ name, state, error });
		if (event === "assistant.message") break;
	}
	const interrupted = expect.stringMatching(/^interrupted, outcome unknown: the gateway stopped/);
	expect(ended).toEqual([
		{ name: "look", state: "failed", error: interrupted },
		{ name: "look", state: "failed", error: interrupted },
		{
			name: "dig",
			state: "failed",
			error:
				"interrupted: not run, because the client that offered dig has disconnected; continue without it",
		},
	]);

	const second = stack.use(new RozStream(url, { headers: { "parley-session-id": String(sessionId) } }));
	expect(await second.start({ tools: [look] })).toMatchObject({ sessionId });
	second.say("tool: look {}");
	const { toolCallId } = await second.until("toolRequest");
	second.send({ toolResult: { toolCallId, success: true, result: "beans" } });
	expect(await second.until("turnComplete")).toMatchObject({ stopReason: "end_turn" });
	expect(second.text("textDelta")).toContain("beans");
});

test("a client that watches a team again after a kill of the gateway gets each worker from its one start to its one exit", {
	timeout,
}, async () => {
	await using stack = new AsyncDisposableStack();
	const { url, start, kill } = await mortalGateway(stack);
	await start();
	const client = stack.use(await OzzieClient.connect(url));
	await client.open();
	const root = await submit(client, [
		"spawn: A <<< long: 60 tokens at 20 per second",
		"& spawn: B <<< say: b",
		"wait: all",
	]);
	const first = stack.use(new RozTeam(url, root));
	for (let worker = 0; worker < 3; worker++) await first.until("workerStarted");
	await first.until("workerExited");
	await kill();
	expect(await first.ended()).toMatchObject({ code: status.UNAVAILABLE });

	await start();
	const secondTeam = stack.use(new RozTeam(url, root));
	expect(await secondTeam.ended()).toMatchObject({ code: status.OK });
	const workers = Object.values(Object.groupBy(secondTeam.events, ({ value }) => String(value["workerId"])));
	expect(workers).toHaveLength(3);
	for (const events of workers) {
		const kinds = (events ?? []).map(({ kind }) => kind);
		expect(kinds[0]).toBe("workerStarted");
		expect(kinds.filter((kind) => /Started|Completed|Failed|Exited/.test(kind))).toHaveLength(3);
		expect(kinds.slice(-2)).toEqual(["workerCompleted", "workerExited"]);
	}
});
