import { type Clock, defined } from "@parley/base";
import type { EventFrame, EventName, EventPayloads } from "@parley/protocol";

/** A run that has not ended. The first run of a session is active. */
interface ScriptedRun {
	readonly id: string;
	readonly content: string;
	readonly author?: { readonly id: string; readonly name: string };
}

type Payload = EventPayloads["prompt.request"];
/** Parts of a question. These parts replace the default parts. */
type Asking = Partial<Omit<Payload, "context">> & {
	readonly context?: { readonly [Name in keyof Payload["context"]]?: Payload["context"][Name] | undefined };
};

/** A session of the scripted gateway, with numbered frames and a queue of runs. */
export class ScriptedSession {
	readonly id: string;
	readonly externalKey: string | undefined;
	readonly place: string | undefined;
	readonly frames: EventFrame[] = [];
	/** Times at which the frames were recorded, in milliseconds since the epoch. */
	readonly moments: number[] = [];
	readonly runs: ScriptedRun[] = [];
	/** Transient frames. Each follows the recorded frame of its `seq`. */
	readonly passing: EventFrame[] = [];
	/**
	 * Index of the first transient frame that a new reader gets: the start of the unfinished reply or, without one,
	 * the end of the list.
	 */
	joinAt = 0;
	readonly asking = new Set<string>();
	title: string;
	model: string | undefined;
	/**
	 * `heard`: connected readers get one deletion frame. `missed`: the gateway was unreachable when the session was
	 * deleted.
	 */
	deleted: "heard" | "missed" | undefined;
	readonly #clock: Clock;
	readonly #changed: () => void;
	#count = 0;

	constructor(options: {
		readonly id: string;
		readonly externalKey?: string | undefined;
		readonly place?: string | undefined;
		readonly title: string;
		readonly clock: Clock;
		/** Runs after each change that readers may wait for. */
		readonly changed: () => void;
	}) {
		this.id = options.id;
		this.externalKey = options.externalKey;
		this.place = options.place;
		this.title = options.title;
		this.#clock = options.clock;
		this.#changed = options.changed;
		this.record("session.created", {});
	}

	get isDeleted(): boolean {
		return this.deleted !== undefined;
	}

	get updatedAt(): number {
		return this.moments.at(-1) ?? 0;
	}

	/** Records an event. Deletions are excluded, because the gateway sends them without recording them. */
	record<Name extends Exclude<EventName, "session.deleted">>(
		event: Name,
		payload: EventPayloads[Name],
	): void {
		const seq = this.frames.length + 1;
		this.frames.push({ type: "event", event, session_id: this.id, payload, seq });
		this.moments.push(this.#clock.now());
		this.#changed();
	}

	/** Accepts a message. Its run is active, or waits behind `position` other runs. */
	say(
		content: string,
		of: {
			readonly author?: ScriptedRun["author"];
			readonly correlation?: string | undefined;
			readonly retryOf?: string;
		},
	): { readonly run: string; readonly position: number } {
		this.#count += 1;
		const run = `run_${this.id.slice(-4)}_${this.#count}`;
		const { author, correlation, retryOf } = of;
		const position = this.runs.length;
		this.runs.push({ id: run, content, ...defined({ author }) });
		this.record("user.message", {
			content,
			run_id: run,
			...defined({ author, correlation_id: correlation, retry_of: retryOf }),
		});
		return { run, position };
	}

	/** Adds a part of the model's reply. The first part starts the reply. */
	stream(content: string): void {
		if (this.joinAt === this.passing.length) this.#pass("start", "");
		this.#pass("delta", content);
	}

	/** Ends the model's reply, which calls tools. */
	endReply(text: string): void {
		if (this.joinAt < this.passing.length) this.#pass("end", "");
		this.joinAt = this.passing.length;
		const usage = {
			tokens_input: 1,
			tokens_output: 1,
			tokens_cache_read: 0,
			tokens_cache_write: 0,
			cost_usd: 0,
		};
		const call = {
			phase: "end",
			model: "m",
			provider: "p",
			message_count: 1,
			duration: 0,
			error: "",
		} as const;
		const [run] = this.runs;
		this.record("internal.llm.call", { ...usage, ...call, run_id: run?.id ?? "", text });
	}

	#pass(phase: EventPayloads["assistant.stream"]["phase"], content: string): void {
		const payload = { phase, content, index: 0 };
		const seq = this.frames.length;
		this.passing.push({
			type: "event",
			event: "assistant.stream",
			session_id: this.id,
			payload,
			seq,
			transient: true,
		});
		this.#changed();
	}

	/** Ends a run, by default the active run. Returns false for an unknown run. */
	end(answer: { readonly content: string; readonly error?: string }, run = this.runs[0]?.id): boolean {
		const index = this.runs.findIndex(({ id }) => id === run);
		if (index < 0 || run === undefined) return false;
		this.runs.splice(index, 1);
		this.joinAt = this.passing.length;
		const { content, error = "" } = answer;
		this.record("assistant.message", { content, run_id: run, error, context: { model: "scripted" } });
		return true;
	}

	/** Moves a queued message into the active run. Returns the run that the message joined; undefined if it was not queued. */
	join(run: string): string | undefined {
		const index = this.runs.findIndex(({ id }) => id === run);
		const [active] = this.runs;
		if (index < 1 || active === undefined) return undefined;
		const [joining] = this.runs.splice(index, 1);
		const first = this.frames.find(
			({ event, payload }) => event === "user.message" && Object(payload).run_id === run,
		);
		const { correlation_id } = Object(first?.payload);
		const { content = "", author } = joining ?? {};
		this.record("user.message", {
			content,
			run_id: active.id,
			steered: true,
			...defined({ author, correlation_id }),
		});
		const ended = { content: "", error: "cancelled", context: {}, joined: active.id };
		this.record("assistant.message", { ...ended, run_id: run });
		return active.id;
	}

	/** Asks a question, and returns its token. Undefined parts of the context are omitted. */
	ask(question: Asking = {}): string {
		this.#count += 1;
		const token = `prompt_${this.id.slice(-4)}_${this.#count}`;
		this.asking.add(token);
		this.record("prompt.request", {
			type: "confirm",
			label: "Allow run rm -rf build?",
			required: true,
			options: [],
			default: null,
			placeholder: "",
			validation: "",
			token,
			...question,
			context: defined({
				call_id: "call_1",
				tool: "run_command",
				arguments: { cmd: "rm -rf build" },
				preview: "",
				risk: "normal",
				allow_session: true,
				notes: [],
				...question.context,
			}),
		});
		return token;
	}
}
