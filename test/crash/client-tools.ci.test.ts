import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { status } from "@grpc/grpc-js";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { RozStream } from "../conformance/drivers/roz-client.ts";
import { choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";
import { Random, testSeed } from "../random.ts";

const look = { name: "look", description: "Looks", category: "TOOL_CATEGORY_PURE" };
const dig = { name: "dig", description: "Digs", category: "TOOL_CATEGORY_PHYSICAL" };

test("calls that clients run when the gateway is killed end as interrupted, and a client that continues the session offers its tools again", {
	timeout: paced(patienceMs * 3),
}, async () => {
	await using stack = new AsyncDisposableStack();
	const directory = await mkdtemp(join(tmpdir(), "parley-client-tools-"));
	stack.defer(() => rm(directory, { recursive: true, force: true }));
	const [data, root] = [join(directory, "data"), join(directory, "root")];
	await mkdir(root);
	const port = await choosePort(new Random(testSeed()));
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
		{ name: "dig", state: "failed", error: "not run: the client that offered dig has disconnected" },
	]);

	const second = stack.use(new RozStream(url, { headers: { "parley-session-id": String(sessionId) } }));
	expect(await second.start({ tools: [look] })).toMatchObject({ sessionId });
	second.say("tool: look {}");
	const { toolCallId } = await second.until("toolRequest");
	second.send({ toolResult: { toolCallId, success: true, result: "beans" } });
	expect(await second.until("turnComplete")).toMatchObject({ stopReason: "end_turn" });
	expect(second.text("textDelta")).toContain("beans");
});
