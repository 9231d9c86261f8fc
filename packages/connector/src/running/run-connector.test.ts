import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { ParleyError } from "@parley/base";
import { ManualClock, MemoryLogger, seededIds } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { Controls } from "../controls/controls.ts";
import { FakePlatform } from "../testing/fake-platform.ts";
import { ScriptedGateway } from "../testing/scripted-gateway.ts";
import type { PlatformLink, PlatformSide, ReadyLink, SideOpening, StartedParts } from "./platform-side.ts";
import { runConnector } from "./run-connector.ts";

const ready: ReadyLink = { state: "ready" };

class ScriptedSide implements PlatformSide<ReadyLink, StartedParts> {
	readonly calls: string[] = [];
	readonly behind = 2;
	link: (link: PlatformLink<ReadyLink>) => void = () => undefined;
	readonly refusals = new Map<"connect" | "start" | "readMissed", Error>();

	async connect(linked: (link: PlatformLink<ReadyLink>) => void): Promise<void> {
		this.link = linked;
		this.#ask("connect");
	}

	linked({ state }: PlatformLink<ReadyLink>): void {
		this.calls.push(state);
	}

	start: PlatformSide<ReadyLink, StartedParts>["start"] = async (_, start) => {
		this.#ask("start");
		const connector = await start.connector(new FakePlatform(), new Controls("the platform's token"));
		const settled = async (): Promise<void> => void this.calls.push("interactions settled");
		const personNow = async () => ({ present: false, reason: "left" }) as const;
		return { connector, interactions: { settled }, malformed: () => 3, personRights: personNow };
	};

	async syncCommands(): Promise<void> {
		this.calls.push("commands");
	}

	async readMissed(): Promise<void> {
		this.#ask("readMissed");
	}

	async stop(): Promise<void> {
		this.calls.push("stop");
	}

	async close(): Promise<void> {
		this.calls.push("close");
	}

	#ask(what: "connect" | "start" | "readMissed"): void {
		this.calls.push(what);
		const refusal = this.refusals.get(what);
		if (refusal) throw refusal;
	}
}

async function place(side = new ScriptedSide()) {
	const dataDir = await mkdtemp(join(await realpath(tmpdir()), "parley-running-"));
	onTestFinished(() => rm(dataDir, { recursive: true }));
	const [clock, log, ids] = [new ManualClock(), new MemoryLogger(), seededIds(1)];
	const gateway = new ScriptedGateway(clock);
	const opened = Promise.withResolvers<SideOpening<StartedParts>>();
	const open = async (opening: SideOpening<StartedParts>) => {
		opened.resolve(opening);
		return side;
	};
	const running = await runConnector(
		{ name: "chat", title: "Chat", open },
		{
			gatewayUrl: "http://127.0.0.1:9",
			gatewayToken: "",
			dataDir,
			clock,
			log,
			ids,
			chance: () => 0,
			gateway: { client: gateway.connect(), files: gateway.files },
			onLink: () => void side.calls.push("told"),
		},
	);
	let isStopped = false;
	const stop = async (): Promise<void> => {
		if (!isStopped) await running.stop();
		isStopped = true;
	};
	onTestFinished(stop);
	return { side, log, running, stop, opening: await opened.promise };
}

test("a connector starts after it has read the identity of the bot, and stops in order", async () => {
	const { side, running, stop, opening } = await place();
	expect(await running.status()).toEqual({ malformed: 0, behind: 2 });
	side.link(ready);
	await opening.started;
	side.link({ state: "lost", detail: "the network is gone" });
	side.link(ready);
	expect(await running.status()).toMatchObject({
		link: ready,
		malformed: 3,
		behind: 2,
		connector: { waiting: 0, open: 0 },
	});
	expect(opening.signal.aborted).toBe(false);
	await stop();
	expect(opening.signal.aborted).toBe(true);
	expect(await running.ended).toBeUndefined();
	expect(side.calls).toEqual([
		"connect",
		"ready",
		"told",
		"start",
		"commands",
		"readMissed",
		"lost",
		"told",
		"ready",
		"told",
		"stop",
		"interactions settled",
		"close",
	]);
});

test("waiting callers are rejected if the connector never starts", async () => {
	const { opening, stop } = await place();
	const started = expect(opening.started).rejects.toMatchObject({ code: "cancelled" });
	await stop();
	await started;
});

test("a permanent failure ends the connector with the reason", async () => {
	const refused = await place();
	refused.side.link({ state: "refused", detail: "the token was revoked" });
	expect(await refused.running.ended).toMatchObject({
		message: "the token was revoked",
		code: "failed_precondition",
	});

	const side = new ScriptedSide();
	side.refusals.set("connect", new Error("no way there"));
	const unconnected = await place(side);
	expect(await unconnected.running.ended).toBeInstanceOf(ParleyError);
	expect(unconnected.log.records.map(({ message }) => message)).toContain(
		"the connection to Chat has failed",
	);

	const unstarted = await place();
	unstarted.side.refusals.set("start", new ParleyError("not this one", { code: "permission_denied" }));
	unstarted.side.link(ready);
	expect(await unstarted.running.ended).toMatchObject({ message: "not this one" });
	await expect(unstarted.opening.started).rejects.toMatchObject({ code: "permission_denied" });
});

test("a failure to read missed events is logged, and the connector continues", async () => {
	const { side, log, opening } = await place();
	side.refusals.set("readMissed", new Error("no answer"));
	side.link(ready);
	await opening.started;
	await tick();
	const warnings = log.records.filter(({ level }) => level === "warn").map(({ message }) => message);
	expect(warnings).toEqual(["messages from before the database existed could not be read"]);
});

test("the connector does not start if the platform side does not open", async () => {
	const dataDir = await mkdtemp(join(await realpath(tmpdir()), "parley-running-"));
	onTestFinished(() => rm(dataDir, { recursive: true }));
	const [clock, log, ids] = [new ManualClock(), new MemoryLogger(), seededIds(1)];
	const open = () => Promise.reject(new Error("what was kept cannot be read"));
	const options = { gatewayUrl: "http://127.0.0.1:9", gatewayToken: "", dataDir };
	const run = runConnector(
		{ name: "chat", title: "Chat", open },
		{ ...options, clock, log, ids, chance: () => 0 },
	);
	await expect(run).rejects.toThrow("what was kept cannot be read");
	expect(clock.pending).toBe(0);
});
