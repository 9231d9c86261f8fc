import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type EventFrame, OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

/** Two sessions of one gateway. The root of the second session is inside the root of the first session. */
export interface NestedRoots extends AsyncDisposable {
	readonly wide: string;
	/** Root of the second session, inside `wide`. */
	readonly project: string;
	/** A directory outside of all roots, with the file `secret`. */
	readonly outside: string;
	readonly first: OzzieClient;
	readonly second: OzzieClient;
}

/** Starts a gateway with a required sandbox and without `--root`, and opens two sessions that trust all tools. */
export async function openNestedRoots(): Promise<NestedRoots> {
	await using undo = new AsyncDisposableStack();
	const directory = undo.adopt(await realpath(await mkdtemp(join(tmpdir(), "parley-roots-"))), (path) =>
		rm(path, { recursive: true, force: true }),
	);
	const [wide, outside, data] = [
		join(directory, "wide"),
		join(directory, "outside"),
		join(directory, "data"),
	];
	const project = join(wide, "project");
	for (const path of [wide, outside, project]) await mkdir(path);
	await writeFile(join(outside, "secret"), "secret of the operator");
	const port = await choosePort();
	const gateway = new GatewayProcess({
		port,
		data,
		root: wide,
		givesRoot: false,
		environment: { PARLEY_SANDBOX: "required" },
	});
	undo.defer(async () => {
		gateway.kill("SIGTERM");
		await gateway.exited;
	});
	expect(await gateway.ready, gateway.stderr.join("\n")).toBe(true);
	const open = async (root: string): Promise<OzzieClient> => {
		const client = undo.use(await OzzieClient.connect(`http://127.0.0.1:${port}`));
		await client.open({ root_dir: root });
		await client.call("accept_all_tools");
		return client;
	};
	const [first, second] = [await open(wide), await open(project)];
	const all = undo.move();
	return { wide, project, outside, first, second, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Sends a message, and denies every approval of its run. Returns the last event of each tool call. */
export async function callsOf(client: OzzieClient, content: string): Promise<EventFrame["payload"][]> {
	await client.call("send_message", { content });
	const ended: EventFrame["payload"][] = [];
	for (;;) {
		const { event, payload } = await client.event();
		if (event === "tool.call" && ["completed", "failed"].includes(String(payload["status"])))
			ended.push(payload);
		if (event === "prompt.request") {
			await client.call("prompt_response", { token: payload["token"], cancelled: true });
		}
		if (event === "assistant.message") return ended;
	}
}
