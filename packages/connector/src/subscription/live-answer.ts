import { type Clock, defined, type Logger, ParleyError, type Timer } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";
import { grownPost, stopOfPost } from "../conversation/answers/control.ts";
import { growingParts } from "../conversation/answers/growing-parts.ts";
import { liveView } from "../conversation/answers/live-view.ts";
import { cardOfRun, type Run } from "../conversation/answers/runs.ts";
import { isBlank } from "../conversation/vocabulary/plain.ts";
import type { Scene } from "../conversation/vocabulary/reducer.ts";
import type { Outbox } from "../outbox/outbox.ts";
import { type LiveLevel, postOfAnswer } from "../platform/answer-card.ts";
import type { PostFormat } from "../platform/chat-platform.ts";
import type { Posting } from "../platform/posting.ts";
import { growingCursor } from "../store/retention.ts";
import { fitPosts } from "../text/fit-posts.ts";
import { parseText } from "../text/parse-text.ts";

/**
 * Time in milliseconds from the first content to the first post. Because of this delay, the post begins with
 * several words.
 */
const firstMs = 300;
/** Usual number of milliseconds between two edits. */
const usualMs = 1200;
/** Maximum number of milliseconds between two edits, after refusals of the platform. */
const maxMs = 10_000;
/**
 * Maximum number of times that the first post waits for a complete word. A platform with streams cannot post a part of
 * a word.
 */
const maxDelays = 2;

/**
 * Process that may have posted the first state of an answer.
 * - `here`: only this process.
 * - `earlier`: an earlier process with the same database.
 * - `elsewhere`: a process with another database.
 */
export type LiveBegin = "here" | "earlier" | "elsewhere";

export interface LiveAnswerParts {
	readonly outbox: Outbox;
	readonly clock: Clock;
	readonly log: Logger;
	readonly conversation: string;
	readonly platform: PostFormat;
	readonly scene: Scene;
	readonly level: () => LiveLevel;
}

/**
 * Shows the answer of the active run while the answer grows. The first state of each post is a row of the outbox;
 * later states are transient edits. The complete answer is a row with the same card, so it replaces the last state,
 * even after a crash.
 */
export class LiveAnswer {
	readonly #parts: LiveAnswerParts;
	#run: Run | undefined;
	#begin: LiveBegin = "here";
	/** Text of the current reply. */
	#text = "";
	/** `seq` of an event. When this event is reduced, the text becomes a part of the run. */
	#textUntil: number | undefined;
	/** Last planned or shown content of each post, as JSON; empty if it is unknown. */
	readonly #shown: string[] = [];
	#isChanged = false;
	#delayed = 0;
	#waitMs = usualMs;
	#timer: Timer | undefined;
	#working: Promise<void> = Promise.resolve();
	/** Card of the last answer that was shown as a growing answer. */
	#grown: string | undefined;

	constructor(parts: LiveAnswerParts) {
		this.#parts = parts;
	}

	/** Reads the text of the current reply. Events arrive in order, before they are reduced. */
	receive(frame: OzzieEvent): void {
		if (frame.event === "internal.llm.call" && frame.payload.phase === "end") this.#textUntil = frame.seq;
		if (frame.event !== "assistant.stream") return;
		const { phase, content } = frame.payload;
		if (phase === "start") {
			this.#text = "";
			this.#textUntil = undefined;
		}
		this.#text += content;
		if (content !== "") this.#change();
	}

	/** Sets the active run and its reduced parts. `seq` is the number of the last reduced event. */
	show(run: Run | undefined, { seq, begin }: { readonly seq: number; readonly begin: LiveBegin }): void {
		if (this.#textUntil !== undefined && seq >= this.#textUntil) {
			this.#text = "";
			this.#textUntil = undefined;
		}
		const isSame = isSamePost(run, this.#run);
		if (!isSame) {
			this.#timer?.cancel();
			this.#timer = undefined;
			this.#shown.length = 0;
			this.#delayed = 0;
			this.#waitMs = usualMs;
			this.#begin = begin;
		}
		const isGrown = run?.parts !== this.#run?.parts || !isSame;
		this.#run = run;
		if (isGrown && run?.parts !== undefined) this.#change();
	}

	/** Whether a card belongs to the answer that was last shown as a growing answer. */
	hasShown(card: string): boolean {
		return this.#grown !== undefined && card.startsWith(this.#grown);
	}

	/** Ends the display. Resolves when the running update has ended, so that the final rows follow it. */
	async end(): Promise<void> {
		this.show(undefined, { seq: 0, begin: "here" });
		this.#text = "";
		await this.#working;
	}

	#change(): void {
		this.#isChanged = true;
		if (this.#run === undefined || this.#run.scheduled || this.#timer !== undefined) return;
		// While a call waits for an answer, its question must stay the last post. This method is called again
		// after the answer.
		if (this.#run.parts?.some((part) => part.type === "call" && part.waits !== undefined)) return;
		this.#timer = this.#parts.clock.after(this.#shown.length === 0 ? firstMs : this.#waitMs, this.#tick);
	}

	readonly #tick = (): void => {
		const run = this.#run;
		if (run === undefined) return;
		this.#isChanged = false;
		this.#working = this.#update(run).then((isRefused) => {
			if (this.#run === undefined || !isSamePost(run, this.#run)) return;
			this.#waitMs = isRefused ? Math.min(2 * this.#waitMs, maxMs) : Math.max(usualMs, this.#waitMs * 0.8);
			this.#timer = undefined;
			const isWorking = (this.#run.parts ?? []).some((part) => part.type === "call" && part.to === undefined);
			if (isRefused || this.#isChanged || isWorking) this.#change();
		});
	};

	/** Shows the present state of the answer. Resolves with true if a change could not be shown now. Never rejects. */
	async #update(run: Run): Promise<boolean> {
		const { outbox, conversation, log } = this.#parts;
		let isRefused = false;
		try {
			const postings = this.#postings(run);
			for (const [index, payload] of postings.entries()) {
				const content = JSON.stringify(payload);
				if (this.#shown[index] === content) continue;
				if (!isSamePost(run, this.#run)) return false;
				const card = postOfAnswer(cardOfRun(run), index);
				this.#grown = cardOfRun(run);
				if (index >= this.#shown.length) {
					await this.#plan(card, payload);
					// An earlier process may have planned the post with other content.
					this.#isChanged ||= this.#begin !== "here";
					this.#shown[index] = this.#begin === "here" ? content : "";
					continue;
				}
				if ((await outbox.draft({ conversation, card, payload })) === "waits") {
					isRefused = true;
					continue;
				}
				this.#shown[index] = content;
			}
		} catch (reason) {
			log.warn("a growing answer could not be shown", { run: run.id, error: ParleyError.from(reason) });
			isRefused = true;
		}
		return isRefused;
	}

	#plan(card: string, payload: Posting): Promise<void> {
		const { outbox, clock, conversation } = this.#parts;
		const row = { seq: 1, at: clock.now(), lane: "milestone", card, payload } as const;
		const cursor = { session: `${growingCursor}${card}`, seq: 1 };
		return outbox.plan({ conversation, cursor, rows: [row], replayed: this.#begin === "elsewhere" });
	}

	#postings(run: Run): readonly Posting[] {
		const { platform, scene, level, clock } = this.#parts;
		const { dialect, limits } = platform;
		const markdown = liveView(run.parts ?? [], { level: level(), text: this.#text, now: clock.now() });
		if (isBlank(markdown)) return [];
		const options = { dialect, limit: limits.post, maxPosts: limits.postsPerAnswer };
		const { posts, file } = fitPosts(parseText(markdown), options);
		// The complete answer will be a file with its start in one post, so the posts no longer change.
		if (file !== undefined && this.#shown.length > 0) return [];
		const { buttons, since } = grownPost(run, scene);
		const grows = posts.length === 1 ? this.#grows(run) : undefined;
		if (grows?.parts.length === 0 && this.#shown.length === 0 && this.#delayed < maxDelays) {
			this.#delayed += 1;
			this.#isChanged = true;
			return [];
		}
		return posts.map((body, index) => {
			const key = postOfAnswer(cardOfRun(run), index);
			const replyTo = index === 0 ? run.message : undefined;
			// The Stop button identifies each post after a loss of the database.
			const controls = [[stopOfPost(key, scene)]];
			const facts = defined({ since, grows, replyTo });
			return { type: "post", body, live: true, key, controls, buttons: [...buttons(index)], ...facts };
		});
	}

	#grows(run: Run): Extract<Posting, { type: "post" }>["grows"] {
		const { platform, level, clock } = this.#parts;
		const { dialect, streams = false } = platform;
		if (!streams) return undefined;
		const state = { level: level(), text: this.#text, now: clock.now(), dialect };
		const parts = [...growingParts(run.parts ?? [], state)];
		return defined({ parts, reader: run.author?.id });
	}
}

function isSamePost(one: Run | undefined, other: Run | undefined): boolean {
	return one?.id === other?.id && one?.questions === other?.questions;
}
