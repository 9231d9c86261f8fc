import type { Clock, Logger, Timer } from "@parley/base";
import type { OwnAccount } from "../vocabulary/discord-port.ts";

/** Maximum delay in milliseconds, and maximum number of events, before the session is stored again. */
const lateMs = 1000;
const maxBehind = 50;

/** Session in the format of discord.js: https://discord.js.org/docs/packages/ws/1.2.3/SessionInfo:Interface */
export interface ShardSession {
	readonly sessionId: string;
	readonly resumeURL: string;
	readonly sequence: number;
	readonly shardId: number;
	readonly shardCount: number;
}

/** Stores the session with Discord, so that the next process can resume it. */
export class ResumableSession {
	readonly #store: SessionStore;
	readonly #clock: Clock;
	readonly #log: Logger;
	/** Session that discord.js resumes after it loses the connection. */
	#shard: ShardSession | null = null;
	/** Session that the next process resumes, at the position before the first event that is not durable. */
	#stored: GatewaySession | undefined;
	/** A new session, until its first event is durable. */
	#newSession: GatewaySession | undefined;
	/** Sequence numbers of dispatched events that are not durable yet. */
	readonly #open = new Set<number>();
	#newest = 0;
	#behind = 0;
	#timer: Timer | undefined;
	#writing: Promise<void> | undefined;
	#isClosed = false;
	#isOver = false;

	/** Returns the session of the last process as a `ResumableSession`. A failing store is treated as empty. */
	static async open(parts: {
		readonly sessions: SessionStore;
		readonly clock: Clock;
		readonly log: Logger;
	}): Promise<ResumableSession> {
		const keeper = new ResumableSession(parts);
		const stored = await parts.sessions.load().catch((error: unknown) => {
			parts.log.warn("the last session with Discord is unreadable, starting a new one", { error });
			return undefined;
		});
		if (stored === undefined) return keeper;
		keeper.#stored = stored;
		const { id: sessionId, resumeUrl: resumeURL, seq: sequence } = stored;
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

	/** Returns the bot's account in the current session, or undefined without a session. */
	get self(): OwnAccount | undefined {
		return this.#newSession ?? this.#stored;
	}

	/**
	 * Returns the session that discord.js resumes, or null to start a new session. After `end`, returns a promise that stays
	 * pending, because discord.js would otherwise connect again.
	 */
	retrieve(): ShardSession | null | Promise<never> {
		return this.#isClosed ? new Promise(() => undefined) : this.#shard;
	}

	/** Receives the session from discord.js. Null: Discord or discord.js has ended the session. */
	update(session: ShardSession | null): void {
		if (this.#isClosed) return;
		this.#shard = session;
		if (session !== null) return;
		this.#newSession = undefined;
		this.#open.clear();
		if (this.#stored === undefined) return;
		this.#stored = undefined;
		this.#write();
	}

	/** Starts a new session. The session is stored when its first event is durable. */
	began(self: OwnAccount): void {
		if (this.#shard === null) return;
		const { sessionId: id, resumeURL: resumeUrl } = this.#shard;
		this.#newSession = { id, resumeUrl, seq: 0, ...self };
		this.#newest = 0;
		this.#open.clear();
	}

	/** Records a dispatched event. Rejects if `received` rejects; Discord then sends the event again after a restart. */
	async handed(seq: number, received: Promise<void> | undefined): Promise<void> {
		const session = this.#shard?.sessionId;
		this.#newest = Math.max(this.#newest, seq);
		this.#open.add(seq);
		await received;
		if (session !== this.#shard?.sessionId) return;
		this.#open.delete(seq);
		this.#advanceStored();
	}

	/** Prevents discord.js from changing the stored session from now on. */
	end(): void {
		this.#isClosed = true;
	}

	/**
	 * Stores the last state of the session, and prevents further changes as `end` does. Resolves when the session is
	 * stored, or when storing has failed.
	 */
	async close(): Promise<void> {
		this.end();
		if (this.#behind > 0) this.#write();
		while (this.#writing !== undefined) await this.#writing;
		this.#isOver = true;
	}

	#advanceStored(): void {
		const seq = this.#open.size === 0 ? this.#newest : Math.min(...this.#open) - 1;
		const session = this.#newSession ?? this.#stored;
		if (session === undefined || seq <= session.seq || this.#isOver) return;
		const isNew = this.#newSession !== undefined;
		this.#newSession = undefined;
		this.#stored = { ...session, seq };
		this.#behind += 1;
		if (isNew || this.#behind >= maxBehind) this.#write();
		else this.#timer ??= this.#clock.after(lateMs, () => this.#write());
	}

	#write(): void {
		this.#timer?.cancel();
		this.#timer = undefined;
		this.#behind = 0;
		if (this.#writing !== undefined) {
			// Only one write runs at a time. The next write includes all later changes.
			this.#behind = maxBehind;
			return;
		}
		this.#writing = this.#save().finally(() => {
			this.#writing = undefined;
			if (this.#behind >= maxBehind) this.#write();
		});
	}

	async #save(): Promise<void> {
		try {
			await this.#store.save(this.#stored);
		} catch (error) {
			this.#log.warn("cannot store the session with Discord, retrying later", { error });
		}
	}
}

/** A session of Discord's gateway. Discord keeps it for some minutes after a connection closes. */
export interface GatewaySession {
	readonly id: string;
	/**
	 * Sequence number up to which all events are durable. A lower number is harmless, because repeated events are
	 * recognised by their ids.
	 */
	readonly seq: number;
	readonly resumeUrl: string;
	/** Ids of the bot. Discord does not send them again in a resumed session. */
	readonly user: string;
	readonly application: string;
}

/** Storage of the session across restarts. */
export interface SessionStore {
	load(): Promise<GatewaySession | undefined>;
	/** Saves the session. `undefined` means that no session can be resumed. */
	save(session: GatewaySession | undefined): Promise<void>;
}
