import { type Clock, delay, type Logger } from "@parley/base";
import { DeliveryError, type Request } from "@parley/connector";
import { LRUCache } from "lru-cache";
import { statusTexts } from "../texts/status.ts";
import { addressOfConversation } from "../vocabulary/conversation.ts";
import type { Caller } from "./caller.ts";
import type { Counted } from "./rate-limits.ts";

/** Milliseconds between refreshes. */
const refreshMs = 90_000;
/** Minimum milliseconds between two texts in a thread. */
const textEveryMs = 5000;
/** Milliseconds to pause after Slack has refused a status. */
const quietMs = 10 * 60_000;
/** Milliseconds before another attempt to remove the status line, if Slack gives no time. */
const renewMs = 5000;
const maxKnown = 2000;

/** Lanes of posts that end the visible work. */
const ends: ReadonlySet<Request["lane"]> = new Set(["final", "error"]);

export interface StatusLineParts {
	readonly caller: Caller;
	readonly clock: Clock;
	readonly log: Logger;
	/** Aborts when the connector stops. A failed removal of a status line is then not repeated. */
	readonly signal?: AbortSignal | undefined;
}

/** `suspended`: the run waits for a person. `active`: no run is working. */
type SessionStatus = "processing" | "suspended" | "active";

interface Line {
	readonly channel: string;
	readonly thread: string;
	/** Status, or undefined if an earlier process may have set one. */
	status: SessionStatus | undefined;
	/** Time of the next refresh on the monotonic clock. */
	nextAt: number;
	/** Current step of the agent, or "". */
	text: string;
	/**
	 * Earliest times on the monotonic clock for sending: `textAt` for a different text, `sameTextAt` for the same text.
	 */
	textAt: number;
	sameTextAt: number;
	/** Last request. Later requests wait until it has ended. */
	last: Promise<unknown>;
}

/**
 * Status lines below threads. A status line shows that the agent is working or waits for a person:
 * https://docs.slack.dev/reference/methods/agents.sessions.setStatus. They exist only for apps that are declared as
 * agents. The text is the current step: https://docs.slack.dev/reference/methods/assistant.threads.setStatus
 */
export class StatusLine {
	readonly #parts: StatusLineParts;
	/** An evicted line is treated like one of an earlier process, and is shown again. */
	readonly #lines = new LRUCache<string, Line>({ max: maxKnown });

	constructor(parts: StatusLineParts) {
		this.#parts = parts;
	}

	async show(conversation: string, doing = ""): Promise<void> {
		const line = this.#lineOf(conversation);
		if (line === undefined) return;
		await this.#begin(line, "processing");
		if (line.status === "processing") await this.#write(line, doing);
	}

	/** Shows that the run of a thread waits for a person. */
	async suspend(conversation: string): Promise<void> {
		const line = this.#lineOf(conversation);
		if (line !== undefined) await this.#begin(line, "suspended");
	}

	/** Shows `status` if a refresh is due, or if the thread shows the other status. */
	async #begin(line: Line, status: "processing" | "suspended"): Promise<void> {
		const now = this.#parts.clock.monotonic();
		const before = line.status;
		const isOther = before !== undefined && before !== "active" && before !== status;
		if (now < line.nextAt && !isOther) return;
		line.nextAt = now + refreshMs;
		line.status = status;
		// The old text belongs to the earlier status.
		if (isOther) [line.text, line.textAt] = ["", now];
		try {
			await this.#set(line, status);
		} catch (error) {
			const { kind, isRefusal } = DeliveryError.from(error);
			if (kind !== "unknown") line.status = kind === "rate-limited" ? before : "active";
			if (isRefusal) line.nextAt = now + quietMs;
			throw error;
		}
	}

	/**
	 * Shows the current step. Drops a text that follows too soon. Replaces an empty text, because it would remove
	 * the complete status line.
	 */
	async #write(line: Line, doing: string): Promise<void> {
		const now = this.#parts.clock.monotonic();
		if (doing === "" && line.text === "") return;
		const text = doing === "" ? statusTexts.working : doing;
		if (now < (text === line.text ? line.sameTextAt : line.textAt)) return;
		line.text = text;
		line.textAt = now + textEveryMs;
		line.sameTextAt = now + refreshMs;
		try {
			await this.#setText(line);
		} catch (error) {
			// The status line is visible without the text, so there is no warning.
			if (DeliveryError.from(error).isRefusal)
				[line.textAt, line.sameTextAt] = [now + quietMs, now + quietMs];
			const { channel, thread } = line;
			this.#parts.log.debug("could not show the activity of the agent", { channel, thread, error });
		}
	}

	async #setText({ channel, thread, text }: Line): Promise<void> {
		const counted: Counted = { method: "assistant.threads.setStatus", lane: "typing" };
		await this.#parts.caller.ask(counted, { channel_id: channel, thread_ts: thread, status: text });
	}

	/**
	 * Updates the status line after a post, because Slack removes its text. After the last post of a run, removes the
	 * line, also a line of an earlier process. After other posts, writes the text again while the run is working.
	 * Never rejects, because a failure must not cause another post.
	 */
	async posted(conversation: string, lane: Request["lane"]): Promise<void> {
		const line = this.#lineOf(conversation);
		if (line === undefined || line.status === "active") return;
		if (!ends.has(lane)) {
			const { text, status } = line;
			[line.text, line.textAt] = ["", this.#parts.clock.monotonic()];
			if (status === "processing") await this.#write(line, text);
			return;
		}
		// If this process has set no status, the status line may be missing.
		await this.#end(line, line.status === undefined ? "debug" : "warn");
	}

	/** Removes any status line, because Slack's stop button does not remove it. Never rejects. */
	async end(conversation: string): Promise<void> {
		const line = this.#lineOf(conversation);
		if (line !== undefined) await this.#end(line, "warn");
	}

	async #end(line: Line, level: "warn" | "debug"): Promise<void> {
		const { clock, log, signal } = this.#parts;
		if (line.status === "processing" || line.status === "suspended") line.nextAt = clock.monotonic();
		line.status = "active";
		// Slack removes the text together with the status, and after each post.
		line.text = "";
		try {
			await this.#set(line, "active").catch(async (reason: unknown) => {
				const { kind, limit } = DeliveryError.from(reason);
				if (kind !== "rate-limited" && kind !== "unknown") throw reason;
				await delay(clock, limit?.retryAfterMs ?? renewMs, signal);
				// If another run has started during the delay, its status is kept.
				if (line.status === "active") await this.#set(line, "active");
			});
		} catch (error) {
			const { channel, thread } = line;
			log[level]("could not remove the working indicator", { channel, thread, error });
		}
	}

	/**
	 * Sends changes of a thread one at a time, so that the last change applies. A removal does not wait for the
	 * connector's own rate limits.
	 */
	#set(line: Line, status: SessionStatus): Promise<void> {
		const { channel, thread, last } = line;
		const isFinal = status === "active";
		const counted: Counted = {
			method: "agents.sessions.setStatus",
			lane: isFinal ? "final" : "typing",
			mustFollow: isFinal,
		};
		const args = { channel_id: channel, thread_ts: thread, status };
		const set = last.then(async () => {
			if (line.status === status) await this.#parts.caller.ask(counted, args);
		});
		line.last = set.catch(() => undefined);
		return set;
	}

	#lineOf(conversation: string): Line | undefined {
		const place = addressOfConversation(conversation);
		if (place?.thread === undefined) return undefined;
		const { channel, thread } = place;
		const key = `${channel} ${thread}`;
		const known = this.#lines.get(key);
		if (known !== undefined) return known;
		const line: Line = {
			channel,
			thread,
			status: undefined,
			nextAt: 0,
			last: Promise.resolve(),
			text: "",
			textAt: 0,
			sameTextAt: 0,
		};
		this.#lines.set(key, line);
		return line;
	}
}
