import { existsSync, type FSWatcher, readFileSync, watch } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import {
	type Client,
	createClient,
	type EventFrame,
	type OpenSession,
	type TaskPayload,
} from "@parley/protocol";
import { choosePort, GatewayProcess } from "../../gateway-process.ts";
import { Watch } from "../../watch.ts";

/** A gateway that is killed and restarted, with one client that outlives the gateway processes. */
export class KillSetup implements AsyncDisposable {
	readonly #directory: string;
	readonly #port: number;
	readonly #watch = new Watch();
	readonly client: Client;
	readonly #frames = new Map<string, EventFrame[]>();
	readonly #reading: Promise<void>[] = [];
	readonly #writing: FSWatcher;
	#gateway: GatewayProcess | undefined;

	private constructor(directory: string, port: number) {
		this.#directory = directory;
		this.#port = port;
		this.#writing = watch(join(directory, "root"), () => this.#watch.notify());
		this.client = createClient({
			...{ url: `http://127.0.0.1:${port}`, clock: systemClock, ids: createIds() },
			onState: () => this.#watch.notify(),
		});
	}

	/** Creates the directories. `data` contains contents of files in the data directory, by name. */
	static async create(data: Readonly<Record<string, string>> = {}): Promise<KillSetup> {
		const directory = await mkdtemp(join(tmpdir(), "parley-kill-"));
		await mkdir(join(directory, "root"));
		for (const [name, text] of Object.entries(data)) {
			const path = join(directory, "data", name);
			await mkdir(dirname(path), { recursive: true, mode: 0o700 });
			await writeFile(path, text);
		}
		return new KillSetup(directory, await choosePort());
	}

	/** Starts the gateway. `hooks` arms failpoints. */
	async start(hooks?: string): Promise<GatewayProcess> {
		const [data, root] = [join(this.#directory, "data"), join(this.#directory, "root")];
		const gateway = new GatewayProcess({
			port: this.#port,
			data,
			root,
			...(hooks !== undefined && { hooks }),
		});
		this.#gateway = gateway;
		if (!(await gateway.ready)) throw new Error(`the gateway does not start:\n${gateway.stderr.join("\n")}`);
		return gateway;
	}

	/** Opens a session and reads its events. With `trusted`, the session trusts all tools. */
	async open(trusted: boolean): Promise<string> {
		const session = await this.client.open({});
		this.#frames.set(session.id, []);
		this.#reading.push(this.#read(session));
		if (trusted) await this.client.request("accept_all_tools", {}, { sessionId: session.id });
		return session.id;
	}

	/** Returns the roles of the messages in a task's conversation, in order, once the conversation has an answer. */
	async authors(task_id: string): Promise<string[]> {
		const { conversation: session_id } = await this.check(task_id);
		for (;;) {
			const messages = await this.client.request("load_messages", { session_id });
			const roles = messages.map(({ role }) => role);
			if (roles.includes("assistant")) return roles;
		}
	}

	async submit(sessionId: string, title: string, description: string): Promise<string> {
		const requested = { title, description, tools: ["run_command"] };
		const { task_id } = await this.client.request("submit_task", requested, { sessionId });
		return task_id;
	}

	check(task_id: string): Promise<TaskPayload> {
		return this.client.request("check_task", { task_id });
	}

	/** Resolves with the payload of the task's first event with this name. */
	async event(name: string, taskId: string): Promise<Payload> {
		return this.#first(name, (payload) => taskOf(payload) === taskId);
	}

	async ended(runId: string): Promise<Payload> {
		return this.#first("assistant.message", (payload) => payload["run_id"] === runId);
	}

	/** Resolves with the id of the task with this title, when its first event `name` has arrived. */
	async titled(name: string, title: string): Promise<string> {
		return String((await this.#first(name, (payload) => payload["title"] === title))["task_id"]);
	}

	countOf(taskId: string, names: readonly string[]): number {
		const countOf = this.frames.filter(({ event }) => names.includes(event));
		return countOf.filter((frame) => taskOf(payloadOf(frame)) === taskId).length;
	}

	async reply(task_id: string, status: "approved" | "revise"): Promise<void> {
		await this.client.request("reply_task", { task_id, status });
	}

	async states(tasks: Readonly<Record<string, string>>): Promise<Record<string, string>> {
		const states = Object.entries(tasks).map(
			async ([name, id]) => [name, (await this.check(id)).status] as const,
		);
		return Object.fromEntries(await Promise.all(states));
	}

	/** Resolves when a file in the root directory is not empty. */
	async effect(name: string): Promise<void> {
		await this.#watch.until(`${name} is written`, () => this.effects(name) !== "");
	}

	/** Returns the content of a file in the root directory, or "" if it does not exist. */
	effects(name: string): string {
		const path = join(this.#directory, "root", name);
		return existsSync(path) ? readFileSync(path, "utf8") : "";
	}

	/** Returns the persisted events of all sessions, in order within each session. */
	get frames(): readonly EventFrame[] {
		return [...this.#frames.values()].flat();
	}

	async kill(): Promise<void> {
		this.#gateway?.kill("SIGKILL");
		await this.#gateway?.exited;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#writing.close();
		await this.kill();
		await this.client.close();
		await Promise.allSettled(this.#reading);
		await rm(this.#directory, { recursive: true, force: true });
	}

	async #first(name: string, fits: (payload: Payload) => boolean): Promise<Payload> {
		const find = (): EventFrame | undefined =>
			this.frames.find((frame) => frame.event === name && fits(payloadOf(frame)));
		await this.#watch.until(`${name} arrives`, () => find() !== undefined);
		const frame = find();
		if (!frame) throw new Error(`${name} is gone again`);
		return payloadOf(frame);
	}

	async #read(session: OpenSession): Promise<void> {
		for await (const frame of session.events()) {
			if (!frame.transient) this.#frames.get(session.id)?.push(frame);
			this.#watch.notify();
		}
	}
}

type Payload = Readonly<Record<string, unknown>>;

function payloadOf({ payload }: EventFrame): Payload {
	// The cast is safe because every event of this wire has an object as its payload.
	return payload as Payload;
}

function taskOf(payload: Payload): unknown {
	// A prompt contains the task id in `context`.
	const context = payload["context"];
	const questions =
		typeof context === "object" && context !== null && "task_id" in context ? context.task_id : undefined;
	return payload["task_id"] ?? questions;
}
