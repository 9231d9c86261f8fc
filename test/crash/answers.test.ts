import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

const timeout = paced(patienceMs * 3);

test("three writes of one reply run when they are answered in any order, over kills of the gateway between the answers", {
	timeout,
}, async () => {
	await using stack = new AsyncDisposableStack();
	const directory = await mkdtemp(join(tmpdir(), "parley-answers-"));
	stack.defer(() => rm(directory, { recursive: true, force: true }));
	const [data, root] = [join(directory, "data"), join(directory, "root")];
	await mkdir(root);
	const port = await choosePort();
	let gateway: GatewayProcess | undefined;
	stack.defer(async () => {
		gateway?.kill("SIGKILL");
		await gateway?.exited;
	});
	const start = async (): Promise<OzzieClient> => {
		gateway = new GatewayProcess({ port, data, root });
		if (!(await gateway.ready)) throw new Error(`the gateway does not start:\n${gateway.stderr.join("\n")}`);
		return stack.use(await OzzieClient.connect(`http://127.0.0.1:${port}`));
	};
	const restart = async (): Promise<OzzieClient> => {
		gateway?.kill("SIGKILL");
		await gateway?.exited;
		return start();
	};
	const written = async (): Promise<string[]> => (await readdir(root)).sort();
	const answer = (client: OzzieClient, token: string | undefined) =>
		client.call("prompt_response", { token, value: true });

	let client = await start();
	const session_id = await client.open();
	const content = "write: a.txt <<< one\n& write: b.txt <<< two\n& write: c.txt <<< three";
	await client.call("send_message", { content });
	const tokens: string[] = [];
	for (let n = 0; n < 3; n++) {
		tokens.push(String((await client.event("prompt.request")).payload["token"]));
	}
	await answer(client, tokens[2]);

	client = await restart();
	await client.open({ session_id, after_seq: 0 });
	expect(await written()).toEqual([]);
	await answer(client, tokens[0]);
	await client.event("tool.call", { status: "completed" });

	client = await restart();
	await client.open({ session_id, after_seq: 0 });
	expect(await written()).toEqual(["a.txt"]);
	await answer(client, tokens[1]);
	const ran: unknown[] = [];
	let prompts = 0;
	for (;;) {
		const { event, payload } = await client.event();
		if (event === "prompt.request") prompts += 1;
		if (event === "tool.call" && payload["status"] !== "started") ran.push(payload["status"]);
		if (event === "assistant.message") break;
	}
	expect(ran).toEqual(["completed", "completed", "completed"]);
	expect(prompts).toBe(3);
	const contents = (await written()).map((name) => readFile(join(root, name), "utf8"));
	expect(await Promise.all(contents)).toEqual(["one", "two", "three"]);
});
