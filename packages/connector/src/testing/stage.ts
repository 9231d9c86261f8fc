import { defined, type Store } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { Controls } from "../controls/controls.ts";
import type { InboundEvent, Person, Room, Ticket } from "../platform/inbound-event.ts";
import { Posting } from "../platform/posting.ts";
import { Connector } from "../running/connector.ts";
import { type StoredValue, storedValuesOf } from "../store/connector-database.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { FakePlatform } from "./fake-platform.ts";
import { openSqlite, WatchedStore } from "./open-stores.ts";
import { ScriptedGateway } from "./scripted-gateway.ts";

/** A connector with its scripted gateway, fake platform and clock, for scenes. */
export class Stage {
	readonly clock = new ManualClock();
	readonly log = new MemoryLogger();
	readonly platform = new FakePlatform();
	readonly gateway = new ScriptedGateway(this.clock);
	readonly controls = new Controls("the platform's token");
	store: WatchedStore;
	connector: Connector;
	readonly #sent: { readonly event: InboundEvent; readonly id: string; readonly conversation: string }[] = [];
	#messages = 0;
	#grantRequests = 0;
	#privateAnswers = 0;
	readonly #joinMs: number;

	/** Opens and starts a stage. `joinMs`: see `ConnectorParts`. */
	static async open(
		open: () => Promise<Store<ConnectorTables>> = openSqlite,
		{ joinMs = 0 }: { readonly joinMs?: number } = {},
	): Promise<Stage> {
		const stage = new Stage(new WatchedStore(await open()), joinMs);
		await stage.start();
		return stage;
	}

	private constructor(store: WatchedStore, joinMs: number) {
		this.store = store;
		this.#joinMs = joinMs;
		this.platform.surface.now = () => this.clock.now();
		// The cast is safe because `open` starts a connector before it returns the stage.
		this.connector = undefined as unknown as Connector;
	}

	async start(): Promise<void> {
		const { store, gateway, platform, controls, clock, log } = this;
		this.connector = await Connector.start({
			store,
			platform,
			controls,
			clock,
			log,
			chance: () => 0,
			gateway: gateway.connect(),
			files: gateway.files,
			watchedAt: this.watchedAt,
			joinMs: this.#joinMs,
		});
		await this.quiet();
	}

	async stop(): Promise<void> {
		await this.connector.stop();
		await this.store.quiet();
	}

	/** Stops the connector, and starts another one on this database or on another database. */
	async restart(store = this.store): Promise<void> {
		await this.stop();
		this.store = store;
		await this.start();
	}

	get watchedAt(): StoredValue<number> {
		return storedValuesOf(this.store, this.clock, this.platform.name)("watched");
	}

	async loseDatabase(): Promise<void> {
		await this.restart(new WatchedStore(await openSqlite()));
	}

	quiet(): Promise<void> {
		return this.store.quiet();
	}

	async pass(ms: number): Promise<void> {
		const part = Math.max(1000, Math.ceil(ms / 50));
		for (let left = ms; left > 0; left -= part) {
			this.clock.advance(Math.min(part, left));
			await this.quiet();
		}
	}

	room(name = "dm", person = "ada"): Room {
		if (name === "dm") return { tenant: "dms", channel: `dm-${person}`, shared: false, kind: "direct" };
		const [channel = "", thread] = name.split("/");
		return {
			tenant: "guild",
			channel,
			...defined({ thread }),
			shared: false,
			kind: "channel",
		};
	}

	person(id = "ada", bot = false): Person {
		return { id, name: id.slice(0, 1).toUpperCase() + id.slice(1), roles: [], guest: false, bot };
	}

	/** Returns the visible text of the posts in a room: bodies, file names and buttons. */
	posts(room: Room): string[] {
		const conversation = this.platform.conversation(room);
		return this.#postings()
			.filter((post) => post.conversation.split("#")[0] === conversation && post.posting.type === "post")
			.map(({ posting }) => read(posting));
	}

	privately(): string[] {
		const all = this.#postings().filter(({ posting }) => posting.type === "private");
		const fresh = all.slice(this.#privateAnswers).map(({ posting }) => read(posting));
		this.#privateAnswers = all.length;
		return fresh;
	}

	/** Returns the id and the post of the newest control with the label, among the posts that contain `at`. */
	control(label: string, at = ""): { readonly id: string; readonly message: string } {
		const found = this.#postings()
			.toReversed()
			.filter(({ posting }) => read(posting).includes(at))
			.flatMap(({ posting, remote }) => controlsOf(posting).map((control) => ({ control, remote })))
			.find(({ control }) => labelOf(control) === label && "id" in control);
		if (!found || !("id" in found.control)) throw new Error(`nobody sees a button ${label}`);
		return { id: found.control.id, message: found.remote };
	}

	async arrive(event: InboundEvent, id: string): Promise<void> {
		const sent = { event, id, conversation: this.platform.conversation(event.room) };
		this.#sent.push(sent);
		await this.connector.accept(event, sent);
		await this.quiet();
	}

	/** Delivers all earlier events of the platform again. `seenBefore` is set in the repeated messages. */
	async repeat(again: { readonly seenBefore?: true } = {}): Promise<void> {
		for (const { event, ...key } of this.#sent) {
			const repeated = event.type === "message" ? { ...event, ...again } : event;
			await this.connector.accept(repeated, key);
		}
		await this.quiet();
	}

	nextMessage(): string {
		this.#messages += 1;
		return `m${this.#messages}`;
	}

	nextInteraction(): { readonly id: string; readonly ticket: Ticket } {
		this.#grantRequests += 1;
		const id = `wish${this.#grantRequests}`;
		return { id, ticket: { id, token: "token", expiresAt: this.clock.now() + 900_000 } };
	}

	#postings(): { readonly posting: Posting; readonly remote: string; readonly conversation: string }[] {
		return this.platform.surface.posts.map(({ payload, ...post }) => ({
			...post,
			posting: Posting.parse(payload),
		}));
	}
}

function read(posting: Posting): string {
	if (posting.type === "thread") return posting.name;
	if (posting.type === "title") return posting.title;
	if (posting.type === "delete") return "";
	if (posting.type === "reaction") return posting.emoji ?? "";
	if (posting.type === "home") {
		const labels = controlsOf(posting).map((control) => `[${labelOf(control)}]`);
		return [...posting.sections.map(({ body }) => body), ...labels].join("\n");
	}
	const labels = controlsOf(posting).map((control) => `[${labelOf(control)}]`);
	const file = posting.file === undefined ? [] : [`(${posting.file.name})`];
	return [posting.body, ...file, ...labels].join(" ");
}

type Shown = NonNullable<Extract<Posting, { type: "post" }>["controls"]>[number][number];

function controlsOf(posting: Posting): Shown[] {
	if (posting.type === "home") return posting.sections.flatMap(({ controls }) => controls.flat());
	return "controls" in posting ? (posting.controls ?? []).flat() : [];
}

function labelOf(control: Shown): string {
	return control.type === "choice" ? control.placeholder : control.label;
}
