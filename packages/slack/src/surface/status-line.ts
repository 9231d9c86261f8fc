import { type Clock, delay, type Logger } from "@parley/base";
import { DeliveryError, type Request } from "@parley/connector";
import { LRUCache } from "lru-cache";
import { addressOfConversation } from "../vocabulary/conversation.ts";
import type { Caller } from "./caller.ts";
import type { Counted } from "./rate-limits.ts";

/** Nobody is told more often that somebody is at work. */
const refreshMs = 90_000;
/** Between two texts of one thread. */
const textEveryMs = 5000;
/** Where Slack does not show it, it is not asked again for so long. */
const quietMs = 10 * 60_000;
/** After this long it is tried once more to take it away, where Slack does not say when. */
const againMs = 5000;
const mostKnown = 2000;

/** What ends the work that people wait for. */
const ends: ReadonlySet<Request["lane"]> = new Set(["final", "error"]);

export interface StatusLineParts {
	readonly caller: Caller;
	readonly clock: Clock;
	readonly log: Logger;
	/** Aborts when nothing is tried again. */
	readonly signal?: AbortSignal | undefined;
}

/** What Slack shows below one thread, as far as it is known. */
interface Line {
	readonly channel: string;
	readonly thread: string;
	/** Undefined: what an earlier process has left there. */
	wanted: "processing" | "active" | undefined;
	/** Monotonic: it is shown anew when that has come. */
	nextAt: number;
	/** What the agent does, in words; "" for nothing in particular. */
	text: string;
	/** Monotonic: when another text may be shown, and when the same one again. */
	textAt: number;
	sameTextAt: number;
	/** The last change that Slack was asked for; the next one waits for it. */
	last: Promise<unknown>;
}

/**
 * Shows below a thread that somebody is at work: https://docs.slack.dev/reference/methods/agents.sessions.setStatus. Only
 * apps that are declared as agents have it, and only threads. What the agent does stands there in words:
 * https://docs.slack.dev/reference/methods/assistant.threads.setStatus.
 */
export class StatusLine {
	readonly #parts: StatusLineParts;
	/** By thread. An evicted line is treated as one of an earlier process: it is shown anew. */
	readonly #lines = new LRUCache<string, Line>({ max: mostKnown });

	constructor(parts: StatusLineParts) {
		this.#parts = parts;
	}

	async show(conversation: string, doing = ""): Promise<void> {
		const line = this.#lineOf(conversation);
		if (line === undefined) return;
		if (line.nextAt <= this.#parts.clock.monotonic()) await this.#process(line);
		if (line.wanted === "processing") await this.#write(line, doing);
	}

	async #process(line: Line): Promise<void> {
		const now = this.#parts.clock.monotonic();
		const before = line.wanted;
		line.nextAt = now + refreshMs;
		line.wanted = "processing";
		try {
			await this.#set(line, "processing");
		} catch (error) {
			const { kind } = DeliveryError.from(error);
			if (kind !== "unknown") line.wanted = kind === "rate-limited" ? before : "active";
			if (kind === "rejected" || kind === "gone") line.nextAt = now + quietMs;
			throw error;
		}
	}

	/** A text that comes too soon is left out: the next sign brings the one of then. */
	async #write(line: Line, text: string): Promise<void> {
		const now = this.#parts.clock.monotonic();
		if (now < (text === line.text ? line.sameTextAt : line.textAt) || (text === "" && line.text === ""))
			return;
		line.text = text;
		line.textAt = now + textEveryMs;
		line.sameTextAt = now + refreshMs;
		try {
			await this.#setText(line);
		} catch (error) {
			const { kind } = DeliveryError.from(error);
			// The sign itself is there: that it has no words is no reason to bother Slack, or an operator.
			if (kind === "rejected" || kind === "gone") line.textAt = now + quietMs;
			if (kind === "rejected" || kind === "gone") line.sameTextAt = now + quietMs;
			const { channel, thread } = line;
			this.#parts.log.debug("what the agent does is not shown", { channel, thread, error });
		}
	}

	async #setText({ channel, thread, text }: Line): Promise<void> {
		const counted: Counted = { method: "assistant.threads.setStatus", lane: "typing" };
		await this.#parts.caller.ask(counted, { channel_id: channel, thread_ts: thread, status: text });
	}

	/**
	 * Slack shows it until it is told otherwise, also what an earlier process has asked for. Never rejects: that it could
	 * not be taken away is no reason to post again.
	 */
	async posted(conversation: string, lane: Request["lane"]): Promise<void> {
		const line = ends.has(lane) ? this.#lineOf(conversation) : undefined;
		if (line === undefined || line.wanted === "active") return;
		// Where we have shown nothing there may be nothing, and no way to show it.
		await this.#end(line, line.wanted === "processing" ? "warn" : "debug");
	}

	/** Takes away whatever is shown there: Slack's button has no effect of its own. Never rejects. */
	async end(conversation: string): Promise<void> {
		const line = this.#lineOf(conversation);
		if (line !== undefined) await this.#end(line, "warn");
	}

	async #end(line: Line, level: "warn" | "debug"): Promise<void> {
		const { clock, log, signal } = this.#parts;
		if (line.wanted === "processing") line.nextAt = clock.monotonic();
		line.wanted = "active";
		// Slack takes the words away with the sign, and with a post.
		line.text = "";
		try {
			await this.#set(line, "active").catch(async (reason: unknown) => {
				const { kind, limit } = DeliveryError.from(reason);
				if (kind !== "rate-limited" && kind !== "unknown") throw reason;
				await delay(clock, limit?.retryAfterMs ?? againMs, signal);
				// Somebody may be at work there again.
				if (line.wanted === "active") await this.#set(line, "active");
			});
		} catch (error) {
			const { channel, thread } = line;
			log[level]("the sign that somebody is at work stays", { channel, thread, error });
		}
	}

	/** One change after the other, so that the last one counts. Taking it away is not held up by what is shown elsewhere. */
	#set(line: Line, status: "processing" | "active"): Promise<void> {
		const { channel, thread, last } = line;
		const owed = status === "active";
		const counted: Counted = {
			method: "agents.sessions.setStatus",
			lane: owed ? "final" : "typing",
			owed,
		};
		const args = { channel_id: channel, thread_ts: thread, status };
		const set = last.then(async () => {
			if (line.wanted === status) await this.#parts.caller.ask(counted, args);
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
			wanted: undefined,
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
