import { setImmediate } from "node:timers/promises";
import { seededIds } from "@parley/base/testing";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import type { Random } from "../random.ts";
import { Watch } from "../watch.ts";
import { Answerer } from "./answerer.ts";
import type { Follower } from "./follower.ts";
import { GatewayDirectories } from "./gateway-directories.ts";
import type { Kill, Outcome, Page, SentMessage } from "./outcome.ts";
import { OwnFollower } from "./own-follower.ts";
import type { PlannedKill, Trigger } from "./plan.ts";
import { RawFollower } from "./raw-follower.ts";
import { Sightings } from "./sightings.ts";
import { anyKind, makeTurn, type TurnKind } from "./turns.ts";

/**
 * Maximum number of unanswered messages, including messages of previous processes. At the maximum, no random message
 * is sent.
 */
const maxOpen = 16;

/** A gateway that is killed and restarted, with its clients and their observations. */
export class KillableGateway {
	readonly #random: Random;
	readonly #watch: Watch;
	readonly #directories: GatewayDirectories;
	readonly #port: number;
	readonly #sightings = new Sightings();
	readonly #messages: SentMessage[] = [];
	/** Ids of messages that are sent only once, even without an acknowledgement. */
	readonly #sentOnce = new Set<string>();
	/** Refused requests, and errors in the log of the gateway. Must stay empty. */
	readonly #complaints: string[] = [];
	readonly #raw: RawFollower;
	readonly #ann: OwnFollower;
	readonly #ben: OwnFollower;
	/** Client that reconnects by itself after its own delay, unlike the other clients. */
	readonly #late: OwnFollower;
	readonly #answerer: Answerer;
	#gateway: GatewayProcess | undefined;
	#alive = false;
	#trusted = "";
	#asking: readonly string[] = [];

	private constructor(
		random: Random,
		{ watch, directories, port }: { watch: Watch; directories: GatewayDirectories; port: number },
	) {
		const url = `http://127.0.0.1:${port}`;
		this.#random = random;
		this.#watch = watch;
		this.#directories = directories;
		this.#port = port;
		const onChange = (): void => watch.notify();
		this.#answerer = new Answerer(() => this.#ann.client);
		this.#ann = new OwnFollower("ann", {
			url,
			seed: 2,
			onFrame: (frame) => this.#answerer.receive(frame),
			onChange,
		});
		this.#ben = new OwnFollower("ben", { url, seed: 3, onChange });
		this.#late = new OwnFollower("late", { url, seed: 4, onChange, independent: true });
		this.#raw = new RawFollower("raw", {
			...{ url, ids: seededIds(1), onChange },
			onFrame: (frame) => this.#sightings.receive(frame),
		});
	}

	/** Creates four sessions, one of which trusts all tools. The process that creates them is not killed. */
	static async create(random: Random): Promise<KillableGateway> {
		const watch = new Watch();
		const directories = await GatewayDirectories.create(() => watch.notify());
		await using undo = new AsyncDisposableStack();
		const killable = undo.use(new KillableGateway(random, { watch, directories, port: await choosePort() }));
		const gateway = await killable.#startInPeace();
		await killable.#openSessions();
		await killable.#stop(gateway);
		undo.move();
		return killable;
	}

	get turns(): number {
		return this.#messages.length;
	}

	/**
	 * Starts the gateway, sends messages, and resolves when the gateway was killed. If a kill from outside missed the
	 * planned state, the `state` of the result is `elsewhere`.
	 */
	async live(plan: PlannedKill, turns: number): Promise<Kill> {
		const gateway = this.#start(plan.hooks);
		let target: SentMessage | undefined;
		if (await gateway.ready) {
			await Promise.race([this.#rejoin(), gateway.exited]);
			for (let turn = 0; turn < turns && this.#unanswered.length < maxOpen; turn++)
				this.#sendMessage(anyKind(this.#random));
			target = await this.#provoke(plan, gateway);
		}
		const { signal } = await gateway.exited;
		await this.#lose();
		this.#complaints.push(...gateway.stderr.filter((line) => line.includes('"level":"error"')));
		if (signal !== "SIGKILL") throw new Error(`the gateway died by itself:\n${gateway.stderr.join("\n")}`);
		if (!plan.trigger) return { state: plan.state, by: "failpoint" };
		if (!target || !this.#isHit(plan.trigger, target)) return { state: "elsewhere", by: "outside" };
		if (plan.trigger.kind !== "effect") return { state: plan.state, by: "outside" };
		await this.#directories.openGate();
		return { state: plan.state, by: "outside", interrupts: target.id };
	}

	/**
	 * Starts a last process, which is not killed, and sends messages until there are `turns` in total. Returns the
	 * outcome after all work is complete, and after a new client has read all sessions.
	 */
	async finish(turns: number): Promise<Omit<Outcome, "kills">> {
		const gateway = await this.#startInPeace();
		while (this.turns < turns) {
			await this.#watch.until("few messages are open", () => this.#unanswered.length < maxOpen);
			this.#sendMessage(anyKind(this.#random));
		}
		await this.#watch.until("all messages are answered", () => this.#unanswered.length === 0);
		await this.#watch.until("all messages are acknowledged", () =>
			this.#messages.every((sent) => this.#isSettled(sent)),
		);
		await this.#answerer.settled();
		if (this.#complaints.length > 0) throw new Error(this.#complaints.join("\n"));
		const all = await this.#readAll();
		const views = this.#followers.flatMap((follower) => follower.views);
		const isLevel = (): boolean =>
			views.every(({ session, frames }) => frames.length >= (all.last.get(session) ?? 0));
		await this.#watch.until("all clients have caught up", isLevel);
		// Copies the frames, because stopping the gateway adds frames about clients that leave.
		const copies = views.map((view) => ({ ...view, frames: [...view.frames] }));
		await this.#stop(gateway);
		const effects = await this.#directories.effects();
		return { messages: this.#messages, views: copies, replay: all.replay, pages: all.pages, effects };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#gateway?.kill("SIGKILL");
		await this.#gateway?.exited;
		await Promise.allSettled(this.#followers.map((follower) => follower.close()));
		await this.#directories.remove();
	}

	get #followers(): readonly Follower[] {
		return [this.#raw, this.#ann, this.#ben, this.#late];
	}

	#start(hooks: string | undefined): GatewayProcess {
		const { data, root, environment } = this.#directories;
		const hooked = hooks === undefined ? {} : { hooks };
		const gateway = new GatewayProcess({ port: this.#port, data, root, environment, ...hooked });
		this.#gateway = gateway;
		this.#alive = true;
		void gateway.exited.then(() => {
			this.#alive = false;
			this.#watch.notify();
		});
		return gateway;
	}

	async #startInPeace(): Promise<GatewayProcess> {
		const gateway = this.#start(undefined);
		if (!(await gateway.ready)) throw new Error(`the gateway does not start:\n${gateway.stderr.join("\n")}`);
		await this.#rejoin();
		return gateway;
	}

	async #stop(gateway: GatewayProcess): Promise<void> {
		gateway.kill("SIGTERM");
		const { code } = await gateway.exited;
		await this.#lose();
		if (code !== 0) throw new Error(`the gateway ended with ${code}:\n${gateway.stderr.join("\n")}`);
	}

	async #openSessions(): Promise<void> {
		const titles = ["trusted", "asking", "asking too", "asking as well"];
		const sessions: string[] = [];
		for (const title of titles) sessions.push(await this.#ann.create(title));
		const [trusted = "", ...untrusted] = sessions;
		this.#trusted = trusted;
		this.#asking = untrusted;
		await this.#ann.client.request("accept_all_tools", {}, { sessionId: trusted });
		for (const session of sessions) {
			for (const follower of [this.#raw, this.#ben, this.#late]) await follower.open(session);
		}
	}

	async #rejoin(): Promise<void> {
		this.#answerer.release();
		await Promise.all([this.#raw, this.#ann, this.#ben].map((follower) => follower.reconnect()));
	}

	/** Waits until the clients have lost their connections. Does not wait for the independent client. */
	async #lose(): Promise<void> {
		await Promise.all([this.#raw, this.#ann, this.#ben].map((follower) => follower.lost()));
	}

	/** Returns the messages whose runs have not ended. Excludes lost messages that are sent only once. */
	get #unanswered(): SentMessage[] {
		return this.#messages.filter(({ id }) => {
			const isLost = this.#sentOnce.has(id) && !this.#sightings.isAccepted(id);
			return !isLost && !this.#sightings.ended(id);
		});
	}

	#isSettled({ id, acked }: SentMessage): boolean {
		return acked.length > 0 || this.#sentOnce.has(id);
	}

	#sendMessage(
		kind: TurnKind,
		requested: { readonly session?: string; readonly once?: boolean } = {},
	): SentMessage {
		const id = `m${String(this.#messages.length + 1).padStart(4, "0")}`;
		const session = requested.session ?? this.#random.pick([this.#trusted, ...this.#asking]);
		const message: SentMessage = { id, session, ...makeTurn(kind, id), acked: [] };
		this.#messages.push(message);
		const { run, once } = this.#send(message, requested.once ?? true);
		if (once) this.#sentOnce.add(id);
		run
			.then(
				(acked) => message.acked.push(acked),
				(error: unknown) => this.#complaints.push(`${id}: ${error}`),
			)
			.finally(() => this.#watch.notify());
		return message;
	}

	#send({ session, content }: SentMessage, mayBeOnce: boolean): { run: Promise<string>; once: boolean } {
		if (mayBeOnce && this.#random.chance(0.1))
			return { run: this.#raw.sendToOpened(session, content), once: true };
		const follower: Follower = this.#random.pick([this.#raw, this.#ann, this.#ben]);
		return { run: follower.say(session, content), once: false };
	}

	/**
	 * Sends messages until the state of `plan` is reached, and then kills the gateway. A failpoint may kill the
	 * gateway earlier. Returns the last message.
	 */
	async #provoke(plan: PlannedKill, gateway: GatewayProcess): Promise<SentMessage> {
		let paused = false;
		if (plan.trigger?.kind === "paused") {
			void gateway.line(`failpoint ${plan.trigger.failpoint}`).then(() => {
				paused = true;
				this.#watch.notify();
			});
		}
		const frames = this.#sightings.frames;
		for (;;) {
			const session = plan.asks ? this.#random.pick(this.#asking) : this.#trusted;
			const target = this.#sendMessage(plan.turn, { session, once: false });
			if (plan.trigger?.kind === "asked") this.#answerer.withhold(target.id);
			const isReached = (): boolean => paused || this.#isReached(plan.trigger, target, frames);
			const isOver = (): boolean => !this.#alive || this.#unanswered.length === 0;
			await this.#watch.until(`the state "${plan.state}" is reached`, () => isReached() || isOver());
			if (this.#alive && !isReached()) continue;
			// Varies the time of the kill within the state.
			for (let ticks = this.#random.below(40); ticks > 0 && this.#alive; ticks--) await setImmediate();
			gateway.kill("SIGKILL");
			return target;
		}
	}

	#isReached(trigger: Trigger | undefined, { id }: SentMessage, framesBefore: number): boolean {
		switch (trigger?.kind) {
			case "sent":
				return true;
			case "asked":
				return this.#sightings.sawQuestion(id);
			case "effect":
				return this.#directories.happened(id);
			case "delta":
				return this.#sightings.words(id) >= trigger.count;
			case "frame":
				return this.#sightings.frames >= framesBefore + trigger.count;
			default:
				return false;
		}
	}

	/** Whether the kill was in time. A kill in a pause or after a frame is never too late. */
	#isHit(trigger: Trigger, { id, acked }: SentMessage): boolean {
		if (trigger.kind === "sent") return acked.length === 0;
		return trigger.kind === "paused" || trigger.kind === "frame" || !this.#sightings.ended(id);
	}

	async #readAll(): Promise<Pick<Outcome, "replay" | "pages"> & { last: Map<string, number> }> {
		const url = `http://127.0.0.1:${this.#port}`;
		const newcomer = new RawFollower("newcomer", { url, ids: seededIds(5) });
		await newcomer.reconnect();
		const pages = new Map<string, Page[]>();
		for (const session of [this.#trusted, ...this.#asking]) {
			await newcomer.open(session);
			pages.set(session, await newcomer.loadMessages(session));
		}
		await newcomer.close();
		const replay = newcomer.views;
		return { replay, pages, last: new Map(replay.map(({ session, frames }) => [session, frames.length])) };
	}
}
