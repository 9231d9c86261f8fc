import { type Failpoints, noFailpoints, type Timer } from "@parley/base";
import type { Kysely } from "kysely";
import { isUrgent, rankOf } from "../platform/lane.ts";
import { DeliveryError, type Receipt } from "../platform/surface.ts";
import { growingCursor } from "../store/retention.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { postTexts } from "../texts/posts.ts";
import { type AnswerDraft, AnswerDrafts } from "./answer-drafts.ts";
import { Buckets } from "./buckets.ts";
import { attemptOf, Claims } from "./claims.ts";
import { ClosedRooms, isClosed, releaseClosed } from "./closed-rooms.ts";
import { readCursor } from "./cursors.ts";
import { type Decision, decideRow, pauseRows, readDecidable, readStuck, type StuckRow } from "./decisions.ts";
import type { OpenRow } from "./open-row.ts";
import { OpenRows, storeWaitMs } from "./open-rows.ts";
import type { OutboxParts } from "./outbox-parts.ts";
import { nonceOf, toOutboxRow } from "./outbox-row.ts";
import { type Plan, planRows } from "./plan.ts";
import {
	type Content,
	isCompleteAnswer,
	keyOf,
	markAttemptedUnknown,
	postReplacement,
	readCard,
	readContent,
	readOpen,
	readPostsOfAnswer,
} from "./statements.ts";
import {
	type Doubt,
	judgeEdit,
	judgeLookup,
	judgeRepeat,
	judgeSend,
	type Moment,
	type NextDelivery,
	type Repeats,
	repeatsLeft,
	staleMs,
} from "./verdict.ts";

type Tx = Kysely<ConnectorTables>;

/** Maximum number of concurrent requests, without the reserved requests. */
const parallel = 32;
/** Number of further concurrent requests for urgent lanes. */
const reserved = 8;

/**
 * Posts planned rows. Each row is posted exactly once, as far as the platform allows. A row is durably `attempted` before
 * its request leaves. After a request with an unclear result, another request is sent only if the platform refuses
 * duplicates, or if a search does not find the post. Edits may be repeated. `trackOf` defines the order within a
 * conversation. Between conversations, the more urgent lane goes first.
 */
export class Outbox {
	readonly #parts: OutboxParts;
	readonly #failpoints: Failpoints;
	readonly #buckets: Buckets;
	readonly #open: OpenRows;
	readonly #busy = new Map<string, Promise<void>>();
	/** Times on the monotonic clock until which rows wait, by row id. */
	readonly #waits = new Map<string, number>();
	readonly #doubts = new Map<string, Doubt>();
	readonly #repeats = new Map<string, Repeats>();
	readonly #startedAt: number;
	readonly #answers: AnswerDrafts;
	readonly #closed: ClosedRooms;
	readonly #stopping = new AbortController();
	#timer: Timer | undefined;

	/** Starts an outbox with the unsettled rows of the last process. Interrupted requests have an unknown result. */
	static async start(parts: OutboxParts): Promise<Outbox> {
		const { store, clock } = parts;
		const open = await store.commit(async (tx) => {
			await markAttemptedUnknown(tx, clock.now());
			// Rooms may have opened again while no process ran.
			await releaseClosed(tx, clock.now());
			return readOpen(tx);
		});
		const outbox = new Outbox(parts, open);
		outbox.#dispatch();
		return outbox;
	}

	private constructor(parts: OutboxParts, open: readonly OpenRow[]) {
		this.#parts = parts;
		this.#failpoints = parts.failpoints ?? noFailpoints;
		this.#buckets = new Buckets(parts.clock);
		this.#startedAt = parts.clock.monotonic();
		this.#answers = new AnswerDrafts(parts.clock, parts.log);
		const { store, dialect, clock, log } = parts;
		this.#open = new OpenRows({ store, clock, log, signal: this.#stopping.signal }, open);
		this.#closed = new ClosedRooms({ store, dialect, clock, open: this.#open });
	}

	/**
	 * Plans the posts of a session's events, moves the session's cursor and runs `beside`, in one transaction.
	 * Resolves after the commit, and does not wait until the rows are sent. Skips rows of events up to the previous
	 * position of the cursor. Rejects with `failed_precondition` if the cursor would move back. A newer row may
	 * replace the content of a waiting row of the same card.
	 */
	async plan(plan: Plan, beside?: (tx: Tx) => Promise<void>): Promise<void> {
		if (plan.rows.length > 0) await this.#failpoints.reach("outbox.claim");
		const claims = new Claims(this.#busy, this.#isReady);
		try {
			await this.#open.commit(async (tx, draft) => {
				// The store may run the transaction again.
				claims.giveUp();
				await planRows(tx, plan, { draft, claims, now: this.#parts.clock.now() });
				await beside?.(tx);
			});
		} catch (error) {
			claims.giveUp();
			// Other rows may have waited for the claimed rows.
			this.#dispatch();
			throw error;
		}
		claims.begin((row, content) => this.#ending(row, this.#deliver(row, content)));
		if (plan.rows.length > 0) this.#dispatch();
	}

	/** Returns the `seq` of the newest planned event of a session, or 0 if no event of the session is planned. */
	cursor(session: string): Promise<number> {
		return this.#parts.store.read((db) => readCursor(db, session));
	}

	/** Returns the platform id of a card's post, or undefined while the card is not posted. */
	posted(card: string): Promise<string | undefined> {
		return this.#parts.store.read((db) => readCard(db, card));
	}

	stuck(limit: number): Promise<StuckRow[]> {
		return this.#parts.store.read((db) => readStuck(db, limit));
	}

	/** Holds the planned rows of a conversation, each until a call of `decide` for its id. Resolves with their number. */
	pause(conversation: string, reason: string): Promise<number> {
		const now = this.#parts.clock.now();
		return this.#open.change(conversation, (tx) => pauseRows(tx, { conversation, reason, now }));
	}

	/**
	 * Releases the rows that wait for their thread or channel to open again. `room` is the conversation of the room;
	 * without it, the rows of all rooms are released.
	 */
	reopen(room?: string): Promise<void> {
		return this.#closed.release(room).then(this.#dispatch);
	}

	/**
	 * Sends or drops a held row, or sends an answer that was given up. Rejects with `not_found` if the row is
	 * unknown, and with `failed_precondition` if the row does not allow the decision.
	 */
	async decide(id: string, decision: Decision): Promise<void> {
		const { store, clock } = this.#parts;
		const { conversation } = await store.read((db) => readDecidable(db, id, decision.send));
		await this.#open.change(conversation, (tx) => decideRow(tx, id, decision, clock.now()));
		this.#dispatch();
	}

	/**
	 * Shows once that the agent is working, and its current step. Does nothing after `stop`, during a rate limit, at the
	 * maximum of requests, or while a row of the conversation is neither settled nor held.
	 */
	async typing(conversation: string, doing?: string): Promise<void> {
		await this.#indicate(conversation, () => this.#parts.surface.typing(conversation, doing));
	}

	/** Shows once that the run of a conversation waits for a person, under the same conditions as `typing`. */
	async suspended(conversation: string): Promise<void> {
		const { surface } = this.#parts;
		if (surface.suspended === undefined) return;
		await this.#indicate(conversation, async () => surface.suspended?.(conversation));
	}

	async #indicate(conversation: string, show: () => Promise<void>): Promise<void> {
		const { surface } = this.#parts;
		const moving = this.#open.of(conversation).some((row) => row.state !== "held");
		const isFull = this.#busy.size >= parallel || this.#stopping.signal.aborted;
		const scopes = surface.scopes({ conversation, lane: "typing", edits: false });
		if (moving || isFull || this.#buckets.openAt(scopes) > 0) return;
		await this.#ask(async () => {
			await show();
			return undefined;
		});
	}

	/** Returns the cards of an answer's posts, posted or planned. `card` is the card of the first post. */
	async postsOfAnswer(conversation: string, card: string): Promise<readonly string[]> {
		const posted = await this.#parts.store.read((db) => readPostsOfAnswer(db, card));
		const planned = this.#open.of(conversation).map((row) => row.card ?? "");
		return [
			...new Set([...posted, ...planned.filter((each) => each === card || each.startsWith(`${card}/`))]),
		];
	}

	/**
	 * Shows transient content in the post of a growing answer, without a row. Resolves with `waits` if the content was
	 * not shown, or if the result is unclear. Shows nothing while the post does not exist, and under the conditions in
	 * which `typing` does nothing.
	 */
	async draft({ conversation, card, payload }: AnswerDraft): Promise<"shown" | "waits"> {
		const { surface, clock } = this.#parts;
		const target = await this.posted(card);
		const row = {
			id: `draft of ${card}`,
			nonce: nonceOf(keyOf(payload) ?? card),
			conversation,
			lane: "progress",
			at: clock.now(),
		} as const;
		const isMoving = this.#open.of(conversation).some(({ state }) => state !== "held");
		const isFull = this.#busy.size + this.#answers.size >= parallel || this.#stopping.signal.aborted;
		const isClosed = this.#buckets.openAt(surface.scopes({ ...row, edits: true })) > 0;
		if (target === undefined || isMoving || isFull || isClosed) return "waits";
		await this.#failpoints.reach("outbox.draft");
		const send = () => this.#ask(() => surface.send({ ...row, card, target, payload, attempt: 1 }));
		const isShown = await this.#answers.show(card, send);
		await this.#failpoints.reach("outbox.drafted");
		this.#dispatch();
		return isShown ? "shown" : "waits";
	}

	/** Stops sending. Resolves when all running requests have ended. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#timer?.cancel();
		await Promise.all([...this.#busy.values(), this.#answers.settled()]);
	}

	readonly #dispatch = (): void => {
		if (this.#stopping.signal.aborted) return;
		const { clock } = this.#parts;
		this.#timer?.cancel();
		const now = clock.monotonic();
		let next = Number.POSITIVE_INFINITY;
		const due: OpenRow[] = [];
		for (const row of this.#open.unblocked()) {
			if (this.#busy.has(row.id)) continue;
			const at = this.#dueAt(row);
			if (at <= now) due.push(row);
			else next = Math.min(next, at);
		}
		due.sort((one, other) => rankOf(one.lane) - rankOf(other.lane) || one.position - other.position);
		for (const row of due) this.#runIfRoom(row);
		if (Number.isFinite(next)) this.#timer = clock.after(next - now, this.#dispatch);
	};

	#dueAt(row: OpenRow): number {
		const waits = Math.max(this.#waits.get(row.id) ?? 0, this.#answers.openAt(row));
		return Math.max(waits, this.#buckets.openAt(this.#parts.surface.scopes(row)));
	}

	readonly #isReady = (row: OpenRow): boolean => {
		if (row.state !== "planned" || this.#isStale(row) || this.#busy.has(row.id)) return false;
		const isStopped = this.#stopping.signal.aborted;
		return !isStopped && this.#hasRoom(row) && this.#dueAt(row) <= this.#parts.clock.monotonic();
	};

	#hasRoom({ lane }: OpenRow): boolean {
		return this.#busy.size < parallel + (isUrgent(lane) ? reserved : 0);
	}

	#runIfRoom(row: OpenRow): void {
		if (!this.#hasRoom(row)) return;
		this.#busy.set(row.id, this.#ending(row, row.state === "unknown" ? this.#resolve(row) : this.#send(row)));
	}

	async #ending({ id }: OpenRow, work: Promise<void>): Promise<void> {
		try {
			await work;
		} catch (error) {
			this.#parts.log.warn("a post waits because the connector failed", { id, error });
			this.#waits.set(id, this.#parts.clock.monotonic() + storeWaitMs);
		}
		this.#busy.delete(id);
		this.#dispatch();
	}

	#isStale(row: OpenRow): boolean {
		return !row.edits && this.#parts.clock.now() - row.at > staleMs;
	}

	async #send(row: OpenRow): Promise<void> {
		if (this.#isStale(row)) {
			const { stale: reason } = postTexts;
			return this.#settle(row, { ...row, to: "held", reason, remote: null, waitMs: 0 });
		}
		await this.#attempt(row);
	}

	async #attempt(row: OpenRow): Promise<void> {
		await this.#failpoints.reach("outbox.claim");
		const content = await this.#open.attempt(row, attemptOf(row, this.#parts.clock.now()));
		// The content is undefined if the row changed its state in the meantime, for example to `held`.
		if (content !== undefined) await this.#deliver(row, content);
	}

	/** Sends a row after its attempt was stored, and stores the outcome. `row` is the row before the attempt. */
	async #deliver(row: OpenRow, content: Content): Promise<void> {
		const { surface, clock } = this.#parts;
		const startedAt = clock.monotonic();
		await this.#failpoints.reach("outbox.claimed");
		const sent = toOutboxRow({ ...row, attempts: attemptOf(row, clock.now()).attempts }, content);
		const outcome = await this.#ask(() => surface.send(sent));
		await this.#failpoints.reach("outbox.answered");
		const failure = outcome instanceof DeliveryError ? outcome.kind : "none";
		if (failure === "gone" && sent.target !== undefined && isCompleteAnswer(content))
			return this.#repost(row);
		if (failure === "none" && sent.target === undefined) this.#answers.notePosted(row);
		const known = this.#repeats.get(row.id);
		const windowMs = sent.target === undefined ? surface.dedupeWindowMs(sent) : 0;
		const repeats = known ?? { until: startedAt + windowMs, count: 0 };
		this.#repeats.set(row.id, repeats);
		if (failure === "closed") await this.#closed.copy(row);
		const judge = row.state === "unknown" ? judgeRepeat : judgeSend;
		await this.#settle({ ...row, state: "attempted" }, judge(row, repeats, outcome, this.#moment()));
	}

	/** Plans another post for a complete answer, because the post of the answer no longer exists. */
	async #repost({ id, card, conversation }: OpenRow): Promise<void> {
		if (card === null) return;
		await this.#open.change(conversation, (tx) => postReplacement(tx, { id, card }, this.#parts.clock.now()));
	}

	/**
	 * Determines the result of an unclear request. A new post is sent again while the platform refuses duplicates, and
	 * otherwise looked up. An edit is repeated when the earlier request must have arrived.
	 */
	async #resolve(row: OpenRow): Promise<void> {
		const { store, surface, clock } = this.#parts;
		if (row.edits) return this.#settle(row, judgeEdit(row, this.#doubtOf(row), clock.monotonic()));
		const content = await store.read((db) => readContent(db, row.id));
		if (content === undefined) return;
		const shown = toOutboxRow(row, content);
		const { now, monotonic } = this.#moment();
		const repeats =
			this.#repeats.get(row.id) ?? repeatsLeft(row.sentAt, surface.dedupeWindowMs(shown), { now, monotonic });
		this.#repeats.set(row.id, repeats);
		if (monotonic < repeats.until) return this.#attempt(row);
		await this.#failpoints.reach("outbox.look");
		const doubt = this.#doubtOf(row);
		const outcome = await this.#ask(() => surface.find(shown));
		await this.#failpoints.reach("outbox.looked");
		const verdict = judgeLookup(row, doubt, outcome, this.#moment());
		// The found post may show an earlier state of the answer, and must then be edited.
		const isGrown = verdict.to === "confirmed" && keyOf(content.payload) !== undefined && row.card !== null;
		await this.#settle(row, isGrown ? { ...verdict, to: "planned" } : verdict);
	}

	#doubtOf({ id, attempts }: OpenRow): Doubt {
		const since = attempts === 0 ? this.#startedAt : this.#parts.clock.monotonic();
		const doubt = this.#doubts.get(id) ?? { since, absences: 0, failures: 0 };
		this.#doubts.set(id, doubt);
		return doubt;
	}

	#moment(): Moment {
		const { clock, chance } = this.#parts;
		return { now: clock.now(), monotonic: clock.monotonic(), chance: chance() };
	}

	/** Sends a request, and notes its rate limits. Resolves with a `DeliveryError` instead of rejecting. */
	async #ask<T extends Receipt | undefined>(request: () => Promise<T>): Promise<T | DeliveryError> {
		try {
			const answer = await request();
			for (const limit of answer?.limits ?? []) this.#buckets.close(limit);
			return answer;
		} catch (reason) {
			const error = DeliveryError.from(reason);
			if (error.limit) this.#buckets.close(error.limit);
			return error;
		}
	}

	async #settle(row: OpenRow, { waitMs, ...verdict }: NextDelivery): Promise<void> {
		const { clock, log } = this.#parts;
		const { to, attempts, reason, remote } = verdict;
		const step = { id: row.id, from: row.state, to, attempts, reason, remote, now: clock.now() };
		await this.#open.persist(row, step);
		if (waitMs > 0) this.#waits.set(row.id, clock.monotonic() + waitMs);
		else this.#waits.delete(row.id);
		if (to !== "unknown") {
			this.#doubts.delete(row.id);
			this.#repeats.delete(row.id);
		}
		const facts = { id: row.id, conversation: row.conversation, lane: row.lane, reason };
		// The last row of the answer follows, and logs an error if it also fails.
		if (to === "dead" && row.id.startsWith(growingCursor))
			log.info("a growing answer cannot be shown", facts);
		else if (to === "dead") log.error("a post was given up", facts);
		if (to === "held")
			log.warn(isClosed(reason) ? "a post waits for its channel" : "a post waits for a decision", facts);
		if (isClosed(reason)) await this.#closed.pauseRest(row, reason);
		await this.#failpoints.reach("outbox.settled");
	}
}
