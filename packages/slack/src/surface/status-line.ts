import { type Clock, delay, type Logger } from "@parley/base";
import { DeliveryError, type Request } from "@parley/connector";
import { LRUCache } from "lru-cache";
import { statusTexts } from "../texts/status.ts";
import { addressOfConversation } from "../vocabulary/conversation.ts";
import type { Caller } from "./caller.ts";
import type { Counted } from "./rate-limits.ts";

/** Interval of refreshes. */
const refreshMs = 90_000;
/** Minimum time between two texts in a thread. */
const textEveryMs = 5000;
/** Pause after a refusal of Slack. */
const quietMs = 10 * 60_000;
/** Wait before another try to remove the status line, if Slack gives no time. */
const againMs = 5000;
const maxKnown = 2000;

/** Lanes that end the visible work. */
const ends: ReadonlySet<Request["lane"]> = new Set(["final", "error"]);

export interface StatusLineParts {
	readonly caller: Caller;
	readonly clock: Clock;
	readonly log: Logger;
	/** Aborts further tries. */
	readonly signal?: AbortSignal | undefined;
}

/** `suspended`: the run waits for a person. `active`: no run works. */
type SessionStatus = "processing" | "suspended" | "active";

/** Known status of a thread. */
interface Line {
	readonly channel: string;
	readonly thread: string;
	/** Undefined: the status of an earlier process is unknown. */
	status: SessionStatus | undefined;
	/** Monotonic time of the next refresh. */
	nextAt: number;
	/** Current step of the agent; "" without one. */
	text: string;
	/** Monotonic times for the next different text, and for the same text. */
	textAt: number;
	sameTextAt: number;
	/** The last request, which the next one waits for. */
	last: Promise<unknown>;
}

/**
 * Shows below a thread that the agent is working or waits for a person: https://docs.slack.dev/reference/methods/agents.sessions.setStatus. Only
 * apps that are declared as agents have it, and only threads. The text is the current step:
 * https://docs.slack.dev/reference/methods/assistant.threads.setStatus.
 */
export class StatusLine {
	readonly #parts: StatusLineParts;
	/** By thread. An evicted line is treated like one of an earlier process, and shown again. */
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

	/** Sets a status of a run, if the thread has another one, or the last request is some time ago. */
	async #begin(line: Line, status: "processing" | "suspended"): Promise<void> {
		const now = this.#parts.clock.monotonic();
		const before = line.status;
		const isOther = before !== undefined && before !== "active" && before !== status;
		if (now < line.nextAt && !isOther) return;
		line.nextAt = now + refreshMs;
		line.status = status;
		// The text belongs to the earlier status.
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
	 * A text that follows too soon is dropped. The next refresh has the current one. An empty text would remove the whole status
	 * line, so a step that has ended is replaced by another text.
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
			// The status line itself is visible. A missing text does not need a warning.
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
	 * Removes the status line after the last post of a run, also one of an earlier process, because Slack keeps it. Slack
	 * removes the text after any post, so it is written again at once while the run works. Never rejects: a failure must not
	 * cause another post.
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
		// The status line may be missing if this process has set no status.
		await this.#end(line, line.status === undefined ? "debug" : "warn");
	}

	/** Removes any status line, because Slack's stop button has no effect on it. Never rejects. */
	async end(conversation: string): Promise<void> {
		const line = this.#lineOf(conversation);
		if (line !== undefined) await this.#end(line, "warn");
	}

	async #end(line: Line, level: "warn" | "debug"): Promise<void> {
		const { clock, log, signal } = this.#parts;
		if (line.status === "processing" || line.status === "suspended") line.nextAt = clock.monotonic();
		line.status = "active";
		// Slack removes the text together with the status, and after a post.
		line.text = "";
		try {
			await this.#set(line, "active").catch(async (reason: unknown) => {
				const { kind, limit } = DeliveryError.from(reason);
				if (kind !== "rate-limited" && kind !== "unknown") throw reason;
				await delay(clock, limit?.retryAfterMs ?? againMs, signal);
				// Another run may have started.
				if (line.status === "active") await this.#set(line, "active");
			});
		} catch (error) {
			const { channel, thread } = line;
			log[level]("could not remove the working indicator", { channel, thread, error });
		}
	}

	/** Sends one change after another, so that the last one applies. The removal does not wait for other threads. */
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
