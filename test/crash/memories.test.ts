import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "@parley/base";
import { paced } from "@parley/base/testing";
import { migrations, type Tables } from "@parley/core";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess, patienceMs } from "../gateway-process.ts";

/** A gateway whose database the test reads and changes while no process runs. */
class Installation implements AsyncDisposable {
	readonly #stack = new AsyncDisposableStack();
	readonly #directory: string;
	readonly #port: number;
	#gateway: GatewayProcess | undefined;

	private constructor(directory: string, port: number) {
		this.#directory = directory;
		this.#port = port;
		this.#stack.defer(() => rm(directory, { recursive: true, force: true }));
		this.#stack.defer(() => this.kill());
	}

	static async open(): Promise<Installation> {
		const directory = await mkdtemp(join(tmpdir(), "parley-memories-"));
		await mkdir(join(directory, "root"));
		return new Installation(directory, await choosePort());
	}

	async start(hooks?: string): Promise<OzzieClient> {
		const [data, root] = [join(this.#directory, "data"), join(this.#directory, "root")];
		this.#gateway = new GatewayProcess({ port: this.#port, data, root, ...(hooks && { hooks }) });
		if (!(await this.#gateway.ready)) throw new Error(this.#gateway.stderr.join("\n"));
		return this.#stack.use(await OzzieClient.connect(`http://127.0.0.1:${this.#port}`));
	}

	async killed(): Promise<NodeJS.Signals | null | undefined> {
		return (await this.#gateway?.exited)?.signal;
	}

	async kill(): Promise<void> {
		this.#gateway?.kill("SIGKILL");
		await this.#gateway?.exited;
	}

	/** Returns all run steps with recalled notes, and the taints of all sessions. */
	async recalled(): Promise<{ readonly steps: string[]; readonly taints: string[] }> {
		await using store = await this.#open();
		return store.read(async (db) => ({
			steps: (await db.selectFrom("steps").select("data").execute())
				.map(({ data }) => String(data))
				.filter((data) => data.includes('"recalled"')),
			taints: (await db.selectFrom("sessions").select("taint").execute()).map(({ taint }) => taint),
		}));
	}

	async change(text: string, taint: "" | "UP"): Promise<void> {
		await using store = await this.#open();
		await store.commit((tx) => tx.updateTable("memories").set({ text, taint }).execute());
	}

	async #open() {
		const file = join(this.#directory, "data", "parley.sqlite");
		const store = await openSqliteStore<Tables>({ file, migrations });
		return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#stack.disposeAsync();
	}
}

test("a run that was killed after it recalled notes has the same notes and taint, and recalls no note twice", {
	timeout: paced(patienceMs * 3),
}, async () => {
	await using installation = await Installation.open();
	const first = await installation.start();
	await first.call("store_memory", { content: "deploys happen on Friday" });
	await installation.kill();
	await installation.change("deploys happen on Friday", "UP");

	const second = await installation.start("model-streaming=kill@1");
	const session_id = await second.open();
	await second.call("send_message", { content: "say: about deploys" });
	expect(await installation.killed()).toBe("SIGKILL");
	const before = await installation.recalled();
	expect(before).toEqual({ steps: [expect.stringContaining("deploys happen on Friday")], taints: ["UP"] });

	await installation.change("deploys happen on Monday", "");
	const third = await installation.start();
	await third.open({ session_id, after_seq: 0 });
	const { payload } = await third.event("assistant.message");
	expect(payload["content"]).toBe("[offline] about deploys");
	await installation.kill();
	expect(await installation.recalled()).toEqual(before);
});

test("a call that was killed after it stored a note stores one note", {
	timeout: paced(patienceMs * 3),
}, async () => {
	await using installation = await Installation.open();
	const first = await installation.start("tool-exit=kill@1");
	const session_id = await first.open();
	await first.call("send_message", { content: "remember: green tea" });
	expect(await installation.killed()).toBe("SIGKILL");

	const second = await installation.start();
	const stored = await second.call("list_memories", {});
	expect(stored).toMatchObject({ memories: [{ content: "green tea", session_id }] });
	await second.open({ session_id, after_seq: 0 });
	const { payload } = await second.event("assistant.message");
	expect(payload["content"]).toMatch(/stored mem_[0-9a-f]{26} for the person/);
	expect(await second.call("list_memories", {})).toEqual(stored);
});
