import { type Clock, defined, type Logger, ParleyError } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";
import { grownPost, stopOfPost } from "../conversation/answers/control.ts";
import { cardOfRun, type Run } from "../conversation/answers/runs.ts";
import type { Scene } from "../conversation/vocabulary/reducer.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { PlannedRow } from "../outbox/plan.ts";
import {
	answerCard,
	isAnswerCard,
	type LiveLevel,
	postsOfAnswer,
	usualLevel,
} from "../platform/answer-card.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Room } from "../platform/inbound-event.ts";
import type { Posting } from "../platform/posting.ts";
import { LiveAnswer } from "./live-answer.ts";

/** Channel settings for the display of growing answers and of message states. */
export interface ChannelLevels {
	/**
	 * Returns how much of an answer the room shows while the agent is working. `author`: author of the message, if
	 * known.
	 */
	liveLevel(
		room: Room,
		author: { readonly id: string; readonly name: string } | undefined,
	): Promise<LiveLevel>;
	/**
	 * Returns whether reactions show the state of messages, and whether a queued message can be added to the active
	 * run. `author`: author of the message, if known.
	 */
	display(
		room: Room,
		author: { readonly id: string; readonly name: string } | undefined,
	): Promise<{ readonly reacts: boolean; readonly offers: boolean }>;
}

const usualDisplay = { reacts: false, offers: false };

interface SessionAnswersParts {
	readonly outbox: Outbox;
	readonly platform: ChatPlatform;
	readonly channels: ChannelLevels;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Position and open runs of the session when the subscription began. */
interface Before {
	/** `seq` of the last event before the subscription. */
	readonly lastSeq: number;
	/** `seq` of the last event for which a connector with another database may have sent posts. */
	readonly replayedTo: number;
	readonly open: readonly Run[];
}

/**
 * Shows the growing answers of one session. Selects the run that is shown and its level of detail, and deletes unused
 * posts of ended answers.
 */
export class SessionAnswers {
	readonly #parts: SessionAnswersParts;
	readonly #about: { readonly conversation: string; readonly room: Room; readonly scene: Scene };
	readonly #before: Before;
	readonly #live: LiveAnswer;
	/** Ids of runs. An earlier process with this database may have begun to show their answers. */
	readonly #earlier: Set<string>;
	/** Ids of runs. A process with another database may have begun to show their answers. */
	readonly #elsewhere = new Set<string>();
	#level: LiveLevel = usualLevel;
	#display = usualDisplay;
	/** Id of the run for which the level was read. */
	#leveled: string | undefined;

	constructor(
		parts: SessionAnswersParts,
		about: { readonly conversation: string; readonly room: Room; readonly scene: Scene },
		before: Before,
	) {
		const { outbox, platform, clock, log } = parts;
		const { conversation, scene } = about;
		this.#parts = parts;
		this.#about = about;
		this.#before = before;
		this.#earlier = new Set(before.open.map(({ id }) => id));
		this.#live = new LiveAnswer({
			outbox,
			clock,
			log,
			conversation,
			platform,
			scene,
			level: () => this.#level,
		});
	}

	/** Returns the level of the channel at the start of the active run. */
	get level(): LiveLevel {
		return this.#level;
	}

	/** Whether reactions show the state of the last message. */
	get reacts(): boolean {
		return this.#display.reacts;
	}

	/** Whether the author of the last message can add it to the active run, according to the channel settings. */
	get offers(): boolean {
		return this.#display.offers;
	}

	/** Reads the settings that the reducers need for a message. `waits`: whether the message waits for other messages. */
	async prepare(frame: OzzieEvent, waits: boolean): Promise<void> {
		const { channels, log, platform } = this.#parts;
		if (frame.event !== "user.message" || (platform.reacts === undefined && !waits)) return;
		const { room } = this.#about;
		try {
			const { reacts, offers } = await channels.display(room, frame.payload.author);
			this.#display = { reacts: reacts && platform.reacts === true, offers };
		} catch (reason) {
			this.#display = usualDisplay;
			const error = ParleyError.from(reason);
			log.warn("the settings of a channel could not be read", { channel: room.channel, error });
		}
	}

	receive(frame: OzzieEvent): void {
		this.#live.receive(frame);
	}

	/** Sets the runs that have not ended, with the active run first. `seq` is the number of the last reduced event. */
	show(open: readonly Run[], seq: number): void {
		const { lastSeq, replayedTo } = this.#before;
		for (const { id, seq: begun = seq } of open) {
			if (seq <= lastSeq) this.#earlier.add(id);
			// If a process with another database has read the event of the message, it may have begun the answer.
			if (begun <= replayedTo) this.#elsewhere.add(id);
		}
		const run = seq >= lastSeq ? open[0] : undefined;
		const begin = run !== undefined && this.#earlier.has(run.id) ? "earlier" : "here";
		const state = { seq, begin: run && this.#elsewhere.has(run.id) ? "elsewhere" : begin } as const;
		if (run === undefined || run.id === this.#leveled) {
			this.#live.show(run, state);
			return;
		}
		this.#leveled = run.id;
		const { channels, log } = this.#parts;
		channels
			.liveLevel(this.#about.room, run.author)
			.then((level) => {
				this.#level = level;
				if (this.#leveled === run.id) this.#live.show(run, state);
			})
			.catch((reason: unknown) => {
				const error = ParleyError.from(reason);
				log.warn("the settings of a channel could not be read", { channel: this.#about.room.channel, error });
			});
	}

	/**
	 * Returns the row as it must be planned. If a connector with another database may have posted the answer in the
	 * row, the row becomes doubtful. If the answer was never shown while it grew, the row loses its card, because
	 * no later row edits the post. A row without a card is planned without further reads.
	 */
	place(row: PlannedRow): PlannedRow {
		const { card, ...post } = row;
		if (card === undefined || !isAnswerCard(card) || isDeletion(row)) return row;
		if (isOfOne(this.#elsewhere, card)) return { ...row, doubtful: true };
		// An earlier process may have shown the answer, even if it did not render this event.
		return row.seq <= this.#before.lastSeq || this.#mayHaveShown(card) ? row : post;
	}

	/**
	 * Whether a process may have shown the answer with this card while the answer grew. This includes earlier
	 * processes, and processes with another database.
	 */
	#mayHaveShown(card: string): boolean {
		const isBefore = isOfOne(this.#elsewhere, card) || isOfOne(this.#earlier, card);
		return isBefore || this.#live.hasShown(card);
	}

	/**
	 * Ends the display of growing answers if their runs have ended. `runs` are the open runs before and after some
	 * events, and `seq` is the number of the last event. Returns deletions of the ended answers' posts that `rows`
	 * do not use. Call `endOf` before `rows` are planned.
	 */
	async endOf(
		runs: { readonly before: readonly Run[]; readonly after: readonly Run[] },
		rows: readonly PlannedRow[],
		seq: number,
	): Promise<readonly PlannedRow[]> {
		const going = new Set(runs.after.map(cardOfRun));
		const ended = runs.before.filter((run) => !going.has(cardOfRun(run)));
		const left = this.#deletionsElsewhere(ended, rows, seq);
		if (ended.length === 0) return left;
		await this.end();
		const { outbox, clock } = this.#parts;
		const used = new Set([...rows, ...left].map(({ card }) => card));
		const at = { seq, at: clock.now() };
		const shown = ended.map(cardOfRun).filter((card) => this.#mayHaveShown(card));
		const posts = await Promise.all(
			shown.map((card) => outbox.postsOfAnswer(this.#about.conversation, card)),
		);
		const known = posts.flat().filter((card) => !used.has(card));
		return [...left, ...known.map((card) => deletionOf({ card, payload: { type: "delete" } }, at))];
	}

	/**
	 * Returns deletions for posts of ended answers, if a connector with another database may have created the
	 * posts. Posts that `rows` use are kept. Each deletion needs a search, so replayed answers older than
	 * `recentMs` are omitted.
	 */
	#deletionsElsewhere(
		ended: readonly Run[],
		rows: readonly PlannedRow[],
		seq: number,
	): readonly PlannedRow[] {
		const { clock, platform } = this.#parts;
		const { scene } = this.#about;
		const now = clock.now();
		const here = ended.filter(({ id }) => this.#elsewhere.has(id)).map((run) => grownPost(run, scene));
		const answers = seq <= this.#before.replayedTo ? rows.flatMap((row) => answerOf(row, now)) : [];
		const grown = new Map([...answers, ...here].map((each) => [each.card, each]));
		const used = new Set(rows.map(({ card }) => card));
		return [...grown.values()].flatMap(({ card, since }) =>
			postsOfAnswer(card, platform.limits.postsPerAnswer)
				.filter((key) => !used.has(key))
				.map((key) => {
					const buttons = [stopOfPost(key, scene).id];
					const payload = { type: "delete", key, buttons, ...defined({ since }) } as const;
					return { ...deletionOf({ card: key, payload }, { seq, at: now }), doubtful: true as const };
				}),
		);
	}

	/** Ends the display of the growing answer. Resolves when its running update has ended. */
	end(): Promise<void> {
		this.#leveled = undefined;
		return this.#live.end();
	}
}

function isOfOne(runs: ReadonlySet<string>, card: string): boolean {
	return [...runs].some((run) => card.startsWith(answerCard(run)));
}

function deletionOf(
	post: { readonly card: string; readonly payload: Extract<Posting, { type: "delete" }> },
	{ seq, at }: { readonly seq: number; readonly at: number },
): PlannedRow {
	// The row has no event, so its id contains the card.
	return { seq, at, lane: "progress", ...post, standsFor: `delete/${post.card}` };
}

/** Maximum age in milliseconds of a replayed answer. Unused posts of older answers are not searched. */
const recentMs = 3_600_000;

/**
 * Returns the card and the earliest time of the answer in a row. Returns an empty list if the row has no answer, or
 * if the answer is older than `recentMs`.
 */
function answerOf(
	{ card, at, payload }: PlannedRow,
	now: number,
): { readonly card: string; readonly since?: number }[] {
	if (card === undefined || !isAnswerCard(card) || now - at > recentMs) return [];
	const isPost = typeof payload === "object" && payload !== null && "since" in payload;
	const since = isPost && typeof payload.since === "number" ? payload.since : undefined;
	return [{ card: card.split("/")[0] ?? card, ...defined({ since }) }];
}

function isDeletion({ payload }: PlannedRow): boolean {
	return typeof payload === "object" && payload !== null && "type" in payload && payload.type === "delete";
}
