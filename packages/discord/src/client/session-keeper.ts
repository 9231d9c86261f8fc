import type { Clock, Logger, Timer } from "@parley/base";
import type { OwnAccount } from "../vocabulary/discord-port.ts";

/** So long, and for so many events, what is kept may be behind. */
const lateMs = 1000;
const mostBehind = 50;

/** A session as discord.js keeps it: https://discord.js.org/docs/packages/ws/1.2.3/SessionInfo:Interface */
export interface ShardSession {
	readonly sessionId: string;
	readonly resumeURL: string;
	readonly sequence: number;
	readonly shardId: number;
	readonly shardCount: number;
}

/** Holds the session for discord.js, and keeps it for the next process a little behind the events. */
export class SessionKeeper {
	readonly #store: SessionStore;
	readonly #clock: Clock;
	readonly #log: Logger;
	/** As discord.js goes on with it after a lost connection. */
	#shard: ShardSession | null = null;
	/** As the next process does, in which what is not durably taken comes again. */
	#kept: GatewaySession | undefined;
	/** The session that has begun, while its first event is not taken. */
	#begun: GatewaySession | undefined;
	/** Events that were handed on and are not taken. */
	readonly #open = new Set<number>();
	#newest = 0;
	#behind = 0;
	#timer: Timer | undefined;
	#writing: Promise<void> | undefined;
	#isClosed = false;
	#isOver = false;

	/** With what the last process has left; a store that fails is as good as an empty one. */
	static async open(parts: {
		readonly sessions: SessionStore;
		readonly clock: Clock;
		readonly log: Logger;
	}): Promise<SessionKeeper> {
		const keeper = new SessionKeeper(parts);
		const kept = await parts.sessions.load().catch((error: unknown) => {
			parts.log.warn("Discord's last session cannot be read, and a new one is begun", { error });
			return undefined;
		});
		if (kept === undefined) return keeper;
		keeper.#kept = kept;
		const { id: sessionId, resumeUrl: resumeURL, seq: sequence } = kept;
		keeper.#shard = { sessionId, resumeURL, sequence, shardId: 0, shardCount: 1 };
		return keeper;
	}

	private constructor(parts: {
		readonly sessions: SessionStore;
		readonly clock: Clock;
		readonly log: Logger;
	}) {
		this.#store = parts.sessions;
		this.#clock = parts.clock;
		this.#log = parts.log;
	}

	/** Who the bot is in the session that is gone on with. */
	get self(): OwnAccount | undefined {
		return this.#begun ?? this.#kept;
	}

	/** What discord.js asks before it connects: never answered after the end, because it would connect once more. */
	retrieve(): ShardSession | null | Promise<never> {
		return this.#isClosed ? new Promise(() => undefined) : this.#shard;
	}

	/** What discord.js tells; null where Discord ended the session, or discord.js itself as it closes. */
	update(session: ShardSession | null): void {
		if (this.#isClosed) return;
		this.#shard = session;
		if (session !== null) return;
		this.#begun = undefined;
		this.#open.clear();
		if (this.#kept === undefined) return;
		this.#kept = undefined;
		this.#write();
	}

	/** A new session has begun; it is kept once its first event is taken. */
	began(self: OwnAccount): void {
		if (this.#shard === null) return;
		const { sessionId: id, resumeURL: resumeUrl } = this.#shard;
		this.#begun = { id, resumeUrl, seq: 0, ...self };
		this.#newest = 0;
		this.#open.clear();
	}

	/** An event is handed on. Rejects with `taken`: then it comes again after a restart. */
	async handed(seq: number, taken: Promise<void> | undefined): Promise<void> {
		const session = this.#shard?.sessionId;
		this.#newest = Math.max(this.#newest, seq);
		this.#open.add(seq);
		await taken;
		if (session !== this.#shard?.sessionId) return;
		this.#open.delete(seq);
		this.#moveOn();
	}

	/** Nothing that discord.js does from now on changes what is kept. */
	end(): void {
		this.#isClosed = true;
	}

	/** Resolves when all is written. */
	async close(): Promise<void> {
		this.end();
		if (this.#behind > 0) this.#write();
		while (this.#writing !== undefined) await this.#writing;
		this.#isOver = true;
	}

	/** Up to the event before the first one that is not taken. */
	#moveOn(): void {
		const seq = this.#open.size === 0 ? this.#newest : Math.min(...this.#open) - 1;
		const session = this.#begun ?? this.#kept;
		if (session === undefined || seq <= session.seq || this.#isOver) return;
		const isNew = this.#begun !== undefined;
		this.#begun = undefined;
		this.#kept = { ...session, seq };
		this.#behind += 1;
		if (isNew || this.#behind >= mostBehind) this.#write();
		else this.#timer ??= this.#clock.after(lateMs, () => this.#write());
	}

	#write(): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		this.#behind = 0;
		if (this.#writing !== undefined) {
			// One write at a time; what has come meanwhile is in the next.
			this.#behind = mostBehind;
			return;
		}
		this.#writing = this.#save().finally(() => {
			this.#writing = undefined;
			if (this.#behind >= mostBehind) this.#write();
		});
	}

	async #save(): Promise<void> {
		try {
			await this.#store.save(this.#kept);
		} catch (error) {
			this.#log.warn("Discord's session cannot be written down yet", { error });
		}
	}
}

/** What Discord needs to go on with a session that it keeps for some minutes after a connection has ended. */
export interface GatewaySession {
	readonly id: string;
	/** Up to this event all are durably taken. An older one is no harm: what comes again is known by its id. */
	readonly seq: number;
	readonly resumeUrl: string;
	/** The bot's own ids, which a resumed session does not tell again. */
	readonly user: string;
	readonly application: string;
}

/** Keeps the session from one process to the next. */
export interface SessionStore {
	load(): Promise<GatewaySession | undefined>;
	/** Undefined where Discord has ended the session. */
	save(session: GatewaySession | undefined): Promise<void>;
}
