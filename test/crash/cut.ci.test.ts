import { setImmediate } from "node:timers/promises";
import { seededIds } from "@parley/base/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { Random, testSeed } from "../random.ts";
import { GatewayDirectories } from "./gateway-directories.ts";
import { RawFollower } from "./raw-follower.ts";
import { makeTurn } from "./turns.ts";

const random = new Random(testSeed());
let directories: GatewayDirectories;
let port: number;
const running: GatewayProcess[] = [];

beforeEach(async () => {
	directories = await GatewayDirectories.create(() => undefined);
	port = await choosePort();
});

afterEach(async () => {
	for (const gateway of running.splice(0)) {
		gateway.kill("SIGKILL");
		await gateway.exited;
	}
	await directories.remove();
});

async function start(hooks?: string): Promise<GatewayProcess> {
	const { data, root } = directories;
	const gateway = new GatewayProcess({ port, data, root, ...(hooks !== undefined && { hooks }) });
	running.push(gateway);
	expect(await gateway.ready).toBe(true);
	return gateway;
}

async function connect(name: string, session?: string): Promise<RawFollower> {
	const client = new RawFollower(name, { url: `http://127.0.0.1:${port}`, ids: seededIds(1) });
	await client.reconnect();
	if (session !== undefined) await client.open(session);
	return client;
}

async function openSession(client: RawFollower): Promise<string> {
	// The cast is safe because the response to `open_session` has this type.
	const { session_id } = (await client.request("open_session", {})) as { readonly session_id: string };
	await client.request("accept_all_tools", {}, { session: session_id });
	return session_id;
}

function accepted(client: RawFollower, content: string): number {
	const frames = client.views.flatMap((view) => view.frames);
	return frames.filter(
		({ event, payload }) => event === "user.message" && JSON.stringify(payload).includes(content),
	).length;
}

test("a message whose response was cut off has one run after a repetition with its key", async () => {
	const gateway = await start("accepted=pause@1");
	const before = await connect("before");
	const session = await openSession(before);
	const { content } = makeTurn("run", "m1");
	void before.sendToOpened(session, content, "key-1");
	await gateway.line("failpoint accepted");
	await before.cut();

	const after = await connect("after", session);
	const run = await after.sendToOpened(session, content, "key-1");
	gateway.kill("SIGKILL");
	await after.lost();
	await start();
	await after.reconnect();
	expect(await after.sendToOpened(session, content, "key-1")).toBe(run);
	await after.untilAnswered(session);
	expect(accepted(after, "m1 done")).toBe(1);
	expect(await directories.effects()).toEqual(new Map([["m1", 1]]));
	await after.close();
});

test("a connection that is cut at any moment, with messages repeated on another, neither loses nor adds a run", async () => {
	await start();
	const watcher = await connect("watcher");
	const session = await openSession(watcher);
	await watcher.open(session);
	const ids = Array.from({ length: 30 }, (_, index) => `m${index}`);
	for (const id of ids) {
		const { content } = makeTurn("run", id);
		const before = await connect("before", session);
		void before.sendToOpened(session, content, id);
		for (let ticks = random.below(12); ticks > 0; ticks--) await setImmediate();
		await before.cut();
		const after = await connect("after", session);
		const runs = await Promise.all(
			[after, watcher].map((client) => client.sendToOpened(session, content, id)),
		);
		expect(new Set(runs).size).toBe(1);
		await after.close();
		await watcher.untilAnswered(session);
		expect(accepted(watcher, `${id} done`)).toBe(1);
	}
	expect(await directories.effects()).toEqual(new Map(ids.map((id) => [id, 1])));
	await watcher.close();
});
