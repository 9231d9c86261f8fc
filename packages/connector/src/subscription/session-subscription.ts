import { type Clock, defined, delay, type Logger, ParleyError, type Store } from "@parley/base";
import {
	type EventFrame,
	isOzzieEvent,
	type OpenSession,
	type OzzieEvent,
	ReplyProgress,
} from "@parley/protocol";
import { activeRun } from "../conversation/answers/runs.ts";
import { type ConversationState, emptyConversation } from "../conversation/conversation.ts";
import type { Scene } from "../conversation/vocabulary/reducer.ts";
import type { GatewayHistory } from "../gateway/gateway-files.ts";
import type { ModelWatch } from "../gateway/model-watch.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { PlannedRow } from "../outbox/plan.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Room } from "../platform/inbound-event.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { EventTimes } from "./event-times.ts";
import { roomOf, type SessionKey, writeSessionKey } from "./external-key.ts";
import { deletionAt } from "./known-sessions.ts";
import { OldCards } from "./old-cards.ts";
import { isImported, type RenderedEvent, renderFrame } from "./render-frame.ts";
import { type ChannelLevels, SessionAnswers } from "./session-answers.ts";
import { forgetSessionCursor, type SessionCursor } from "./session-cursors.ts";
import { stepWords, Typing } from "./typing.ts";
import { waitsForPeople } from "./waits-for-people.ts";

/** Maximum age of replayed events that are posted, in milliseconds. */
const staleMs = 24 * 3_600_000;

/** Maximum number of frames per transaction. */
const maxTogether = 500;

/** Maximum number of frames in memory that wait for the database. Further frames wait in the connection. */
const maxWaiting = 2000;

const storeWaitMs = 1000;

/**
 * Maximum number of events since the last saved state. A restarted process must reduce these events again to
 * restore the state.
 */
const maxUnwritten = 100;

export interface SessionSubscriptionParts {
	readonly store: Store<ConnectorTables>;
	readonly history: GatewayHistory;
	readonly outbox: Outbox;
	readonly platform: ChatPlatform;
	readonly controls: Scene["controls"];
	readonly channels: ChannelLevels;
	readonly modelWatch: Pick<ModelWatch, "noteEvent">;
	readonly clock: Clock;
	readonly log: Logger;
	/** Signal that ends the subscription. The next process continues with the remaining events. */
	readonly signal: AbortSignal;
	/** Runs for each recorded or transient frame, before the frame is rendered. */
	onFrame(): void;
}

/**
 * Renders one session in its room: each event once, in order. The transaction that plans the posts of an event also
 * moves the cursor.
 */
export class SessionSubscription implements RoomSession {
	readonly session: string;
	readonly room: Room;
	/**
	 * Promise that resolves when the session is deleted, or when this subscription is closed. Rejects if the session cannot be
	 * read further.
	 */
	readonly ended: Promise<"deleted" | "closed">;
	/** Promise that resolves when all events from before this subscription are rendered, or when the subscription ends. */
	readonly caughtUp: Promise<void>;
	readonly #catchUp = Promise.withResolvers<void>();
	readonly #parts: SessionSubscriptionParts;
	readonly #opened: OpenSession;
	readonly #externalKey: string;
	readonly #scene: Scene;
	readonly #conversation: string;
	readonly #moments: EventTimes;
	readonly #typing: Typing;
	readonly #progress = new ReplyProgress();
	readonly #answers: SessionAnswers;
	readonly #replayedTo: number;
	#state: ConversationState;
	/** State in the database. */
	#written: ConversationState;
	/** `seq` of the newest event in `#state`. */
	#reduced: number;
	/** `seq` of the newest planned event, with or without rows. */
	#planned: number;
	/** Unplanned cards of the replay. */
	#old = new OldCards();
	readonly #waiting: EventFrame[] = [];
	/** Frames that have a checked payload. Each frame is read twice, but its payload is checked once. */
	readonly #valid = new WeakSet<EventFrame>();
	#drained: Promise<void> = Promise.resolve();
	/** Ids of running calls. Calls that started before this process read the session are unknown. */
	readonly #running = new Set<string>();
	/** Whether the gateway has deleted the session, and the deletion is rendered. */
	#isDeleted = false;

	constructor(
		parts: SessionSubscriptionParts,
		from: {
			readonly opened: OpenSession;
			readonly key: SessionKey;
			/**
			 * Position that the last process stored. The cursor's state is used if the session was opened at
			 * `cursor.seq`.
			 */
			readonly cursor: SessionCursor;
			readonly after: number;
		},
	) {
		const { opened, key, cursor, after } = from;
		const room = roomOf(key);
		const { platform, controls, outbox, clock } = parts;
		this.#parts = parts;
		this.#opened = opened;
		this.#externalKey = writeSessionKey(key);
		this.session = opened.id;
		this.room = room;
		this.#conversation = platform.conversation(room);
		const { thread } = room;
		this.#scene = {
			session: opened.id,
			controls,
			platform,
			room: defined({ platform: key.platform, tenant: room.tenant, channel: room.channel, thread }),
			...defined({ thread, link: platform.linkTo?.(room) }),
			threads: thread === undefined && (platform.hasThreads?.(room) ?? true),
			live: () => this.#answers.level,
			reacts: () => this.#answers.reacts,
			offers: () => this.#answers.offers,
		};
		this.#moments = new EventTimes(parts, opened.id, opened.lastSeq);
		const shown = { outbox, clock, conversation: this.#conversation };
		this.#typing = new Typing(shown);
		this.#replayedTo = cursor.replayedTo;
		this.#planned = cursor.seq;
		this.#reduced = after;
		this.#state = after === cursor.seq ? (cursor.state ?? emptyConversation) : emptyConversation;
		this.#written = this.#state;
		const about = { conversation: this.#conversation, room, scene: this.#scene };
		const before = { lastSeq: opened.lastSeq, replayedTo: cursor.replayedTo, open: this.#state.answers.open };
		this.#answers = new SessionAnswers(parts, about, before);
		this.#showTyping();
		this.caughtUp = this.#catchUp.promise;
		this.#caughtUpTo(after);
		this.#answers.show(this.#state.answers.open, after);
		this.ended = this.#read();
	}

	get state(): ConversationState {
		return this.#state;
	}

	close(): void {
		this.#opened.close();
	}

	async #read(): Promise<"deleted" | "closed"> {
		try {
			if (await this.#readAll()) this.#receive(deletionAt(this.session, this.#lastPlace()));
		} finally {
			await this.#drained;
			await this.#save();
			this.#typing.show(undefined);
			await this.#answers.end();
			this.#catchUp.resolve();
		}
		return this.#isDeleted ? "deleted" : "closed";
	}

	/**
	 * Reads all frames of the session. Returns true if the session was deleted, and false if the frames end for
	 * another reason.
	 */
	async #readAll(): Promise<boolean> {
		try {
			for await (const frame of this.#opened.events()) {
				this.#parts.onFrame();
				if (frame.event === "session.deleted") return true;
				this.#showProgress(frame);
				if (frame.transient) continue;
				this.#receive(frame);
				if (this.#waiting.length >= maxWaiting) await this.#drained;
			}
			return false;
		} catch (reason) {
			// The gateway reports a deletion only once, to connected clients. This session was deleted while the connection was
			// lost.
			if (ParleyError.from(reason).code === "not_found") return true;
			throw reason;
		}
	}

	#showProgress(frame: EventFrame): void {
		const isStep = frame.transient || this.#progress.now || frame.event === "tool.call";
		if (!isOzzieEvent(frame)) return;
		if (!frame.transient) this.#valid.add(frame);
		if (isImported(frame)) return;
		this.#answers.receive(frame);
		if (!frame.transient && frame.seq > this.#opened.lastSeq)
			this.#parts.modelWatch.noteEvent(this.session, frame);
		if (!isStep) return;
		this.#progress.receive(frame);
		this.#typing.does(stepWords(frame, this.#progress.now));
	}

	#receive(frame: EventFrame): void {
		this.#waiting.push(frame);
		if (this.#waiting.length === 1) this.#drained = this.#drained.then(() => this.#drain());
	}

	/** Returns a `seq` after all events that were read or planned, and not before the end of a replay. */
	#lastPlace(): number {
		const last = this.#waiting.at(-1)?.seq ?? this.#reduced;
		return Math.max(last + 1, this.#planned + 1, this.#replayedTo);
	}

	async #drain(): Promise<void> {
		const { signal, clock, log } = this.#parts;
		while (this.#waiting.length > 0 && !signal.aborted) {
			const frames = this.#together();
			try {
				await this.#reduce(frames);
				this.#waiting.splice(0, frames.length);
			} catch (reason) {
				if (signal.aborted) return;
				const error = ParleyError.from(reason);
				log.warn("the events of a session wait because the connector failed", {
					session: this.session,
					error,
				});
				// An aborted delay only ends the wait. The signal then shows that the connector stops.
				await delay(clock, storeWaitMs, signal).catch(() => undefined);
			}
		}
	}

	/** Returns the frames for the next transaction. These are either all replayed or all new. */
	#together(): EventFrame[] {
		const next = this.#waiting.slice(0, maxTogether);
		const [first] = next;
		const fresh = next.findIndex(({ seq }) => seq > this.#replayedTo);
		return first !== undefined && first.seq <= this.#replayedTo && fresh > 0 ? next.slice(0, fresh) : next;
	}

	async #reduce(frames: readonly EventFrame[]): Promise<void> {
		let state = this.#state;
		const isReplay = (frames[0]?.seq ?? 0) <= this.#replayedTo;
		// If the database refuses the transaction, the same frames are reduced again. Therefore, a replay changes
		// only a copy of `#old`. New events do not change `#old`.
		let old = isReplay ? this.#old.copy() : this.#old;
		const rows: PlannedRow[] = [];
		for (const frame of frames) {
			const step = await this.#step(state, frame);
			state = step.state;
			rows.push(...this.#planOf(step, frame.seq, old));
		}
		const seq = frames.at(-1)?.seq ?? 0;
		if (seq === this.#replayedTo) {
			rows.push(...old.open(state, seq));
			old = new OldCards();
		}
		const replayed = seq <= this.#replayedTo;
		const isDeleted = frames.some(({ event }) => event === "session.deleted");
		const runs = { before: this.#state.answers.open, after: state.answers.open };
		rows.push(...(await this.#answers.endOf(runs, rows, seq)));
		const isWritten = replayed || rows.length > 0 || isDeleted || this.#mustWrite(state, seq);
		if (seq > this.#planned && isWritten) await this.#write({ seq, state, rows, replayed, isDeleted });
		this.#old = old;
		this.#state = state;
		this.#reduced = seq;
		this.#caughtUpTo(seq);
		this.#showTyping();
		this.#answers.show(state.answers.open, seq);
		this.#isDeleted ||= isDeleted;
	}

	async #write(progress: {
		readonly seq: number;
		readonly state: ConversationState;
		readonly rows: readonly PlannedRow[];
		readonly replayed: boolean;
		readonly isDeleted?: boolean;
	}): Promise<void> {
		const { seq, state, rows, replayed, isDeleted = false } = progress;
		const cursor = { session: this.session, seq, after: this.#planned };
		const about = { replayedTo: this.#replayedTo, externalKey: this.#externalKey };
		const written = { state: JSON.stringify(state), ...about };
		const doubtful = rows.map((row) => this.#answers.place(row));
		const plan = { conversation: this.#conversation, cursor, stored: written, rows: doubtful, replayed };
		// The cursor of a deleted session would hide new events if the gateway was restored from a backup that
		// contains the session.
		await this.#parts.outbox.plan(
			plan,
			isDeleted ? (tx) => forgetSessionCursor(tx, this.session) : undefined,
		);
		this.#planned = seq;
		this.#written = state;
	}

	/** Saves the state, so that the next process need not read an idle session. */
	async #save(): Promise<void> {
		const { log } = this.#parts;
		if (this.#isDeleted || this.#reduced <= this.#planned) return;
		const progress = { seq: this.#reduced, state: this.#state, rows: [], replayed: false };
		await this.#write(progress).catch((error: unknown) =>
			log.warn("the state of a session cannot be saved, so its events are read again", {
				session: this.session,
				error,
			}),
		);
	}

	/**
	 * Whether the state must be saved at the event `seq`. A few unsaved events can be reduced again after a restart.
	 * The first state of a session is always saved, because otherwise the rendered events would be unknown. Events from
	 * before the subscription are saved once, so that later processes do not read them again.
	 */
	#mustWrite(state: ConversationState, seq: number): boolean {
		const { lastSeq } = this.#opened;
		if (this.#planned < lastSeq && lastSeq <= seq) return true;
		const isChanged = Object.values(state).some(
			(slice, index) => slice !== Object.values(this.#written)[index],
		);
		return isChanged && (this.#planned === 0 || seq - this.#planned > maxUnwritten);
	}

	/** Returns the rows to plan for an event. Rows of old cards that the event's rows need are first. */
	#planOf({ rows }: RenderedEvent, seq: number, old: OldCards): readonly PlannedRow[] {
		const isPlanned = seq <= this.#planned;
		if (seq > this.#replayedTo) return isPlanned ? [] : rows;
		const isOld = this.#parts.clock.now() - (rows[0]?.at ?? 0) > staleMs;
		if (isOld) {
			old.store(rows);
			return [];
		}
		const earlier = old.before(rows, seq);
		return isPlanned ? [] : [...earlier, ...rows];
	}

	#isValid(frame: EventFrame): frame is OzzieEvent {
		return this.#valid.has(frame) || isOzzieEvent(frame);
	}

	async #step(state: ConversationState, frame: EventFrame): Promise<RenderedEvent> {
		if (!this.#isValid(frame)) return { state, rows: [] };
		this.#noteCall(frame);
		const { platform, log } = this.#parts;
		await this.#answers.prepare(frame, state.answers.open.length > 0);
		const at = await this.#moments.of(frame.seq);
		const where = { scene: this.#scene, conversation: this.#conversation, platform, log };
		return renderFrame(state, { frame, at }, where);
	}

	#caughtUpTo(seq: number): void {
		if (seq >= this.#opened.lastSeq) this.#catchUp.resolve();
	}

	#noteCall({ event, payload }: OzzieEvent): void {
		if (event === "assistant.message") this.#running.clear();
		if (event !== "tool.call") return;
		if (payload.status === "started") this.#running.add(payload.call_id);
		else this.#running.delete(payload.call_id);
	}

	#showTyping(): void {
		const run = activeRun(this.#state.answers);
		this.#typing.show(
			run?.id,
			run !== undefined && waitsForPeople(this.#state.questions, run, this.#running),
		);
	}
}

export interface RoomSession {
	readonly session: string;
	readonly room: Room;
	/** State after all rendered events. */
	readonly state: ConversationState;
}
