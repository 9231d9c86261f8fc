import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defined, noFailpoints, openSqliteStore, Redactor, type Store } from "@parley/base";
import { ManualClock, MemoryLogger, seededIds } from "@parley/base/testing";
import { Observers } from "../../../conversation/observers.ts";
import { Session } from "../../../conversation/session.ts";
import { Journal } from "../../../store/journal.ts";
import { migrations } from "../../../store/migrations/migrations.ts";
import { sessionRow } from "../../../store/session-row.ts";
import { insertRun } from "../../../store/statements.ts";
import { stamp, type Tables } from "../../../store/tables.ts";
import { Audit } from "../../../trust/audit/audit.ts";
import type { ContextSnapshot } from "../../../vocabulary/context-snapshot.ts";
import type { AssistantMessage, CallBlock, Message, ResultBlock } from "../../../vocabulary/message.ts";
import type { Model, ModelRequest, ToolDescription } from "../../../vocabulary/model.ts";
import type { Answer } from "../../../vocabulary/prompt.ts";
import type { RunTranscript } from "../../../vocabulary/transcript.ts";
import { noUsage } from "../../../vocabulary/usage.ts";
import { Contexts } from "../contexts.ts";
import {
	type Asker,
	type Compacted,
	compactNow,
	contextAfter,
	fitRequest,
	observeUsage,
} from "../fit-request.ts";
import type { WriteText } from "../summarise.ts";

const facts = {
	external_key: null,
	title: "",
	titled_by: null,
	root_dir: "/",
	profile: "default",
	place: null,
};

export interface ToyOptions {
	readonly contextWindow: number;
	readonly maxOutput?: number;
	readonly compactAbove?: number;
	readonly tokenizer?: Tokenizer;
	readonly system?: string;
	readonly tools?: readonly ToolDescription[];
	/** Writes the summaries. The default writes numbered summaries. */
	readonly write?: WriteText;
	readonly countTokens?: Model["countTokens"];
}

interface ToyCall {
	readonly request: ModelRequest;
	readonly tokens: number;
	readonly snapshot: ContextSnapshot | undefined;
}

const sessionId = "sess_toy";

/** A session with its own store, and a provider with a toy tokenizer. A test writes the transcript of the session. */
export class ToySession {
	readonly options: ToyOptions;
	readonly store: Store<Tables>;
	readonly clock = new ManualClock();
	readonly log = new MemoryLogger();
	readonly #directory: string;
	readonly #journal: Journal;
	#contexts: Contexts;
	readonly written: Parameters<WriteText>[0][] = [];
	transcript: RunTranscript[] = [];
	settings: Asker["settings"];
	session: Session;
	readonly #abort = new AbortController();

	private constructor(options: ToyOptions, store: Store<Tables>, directory: string) {
		this.options = options;
		this.store = store;
		this.#directory = directory;
		const { contextWindow, maxOutput = 1_000, compactAbove, countTokens } = options;
		const model: Model = {
			provider: "toy",
			defaultModel: "toy",
			stream: () => {
				throw new Error("nobody streams here");
			},
			...defined({ countTokens }),
		};
		this.settings = { model, contextWindow, maxOutput, ...defined({ compactAbove }) };
		this.#journal = new Journal({ store, clock: this.clock, ids: seededIds(1) });
		this.#contexts = this.#newContexts();
		this.session = this.#newSession();
	}

	static async open(options: ToyOptions): Promise<ToySession> {
		const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-context-"));
		const store = await openSqliteStore<Tables>({ file: join(directory, "toy.sqlite"), migrations });
		const row = sessionRow({ id: sessionId, owner: "operator", ...facts }, 0);
		await store.commit((tx) => tx.insertInto("sessions").values(row).execute());
		return new ToySession(options, store, directory);
	}

	get tokenizer(): Tokenizer {
		return this.options.tokenizer ?? tokenizers.words;
	}

	get errors(): ReturnType<Contexts["errors"]> {
		return this.#contexts.errors();
	}

	restart(): void {
		this.#contexts = this.#newContexts();
		this.session = this.#newSession();
		this.transcript = structuredClone(this.transcript);
	}

	abort(): void {
		this.#abort.abort();
	}

	async ask(text: string): Promise<void> {
		const ordinal = (this.transcript.at(-1)?.ordinal ?? 0) + 1;
		this.transcript.push({ ordinal, messages: [{ role: "user", content: [{ type: "text", text }] }] });
		await this.store.commit((tx) =>
			insertRun(tx, {
				id: `run_${ordinal}`,
				sessionId,
				ordinal,
				content: text,
				acceptAll: 0,
				at: 0,
				images: null,
				retryOf: null,
				attachments: null,
				correlation: null,
				actor: null,
				options: null,
				state: "ended",
			}),
		);
	}

	add(...messages: readonly Message[]): void {
		const run = this.transcript.pop();
		if (run) this.transcript.push({ ...run, messages: [...run.messages, ...messages] });
	}

	says(text: string): void {
		this.add({ role: "assistant", content: [{ type: "text", text }] });
	}

	calls(...calls: readonly (Omit<CallBlock, "type"> & Omit<ResultBlock, "type" | "callId">)[]): void {
		const content = calls.map(({ id, name, arguments: args }): AssistantMessage["content"][number] => ({
			type: "call",
			id,
			name,
			arguments: args,
		}));
		const results = calls.map(
			({ id, text, failed, pictures: images }): ResultBlock => ({
				type: "result",
				callId: id,
				text,
				failed,
				...defined({ pictures: images }),
			}),
		);
		this.add({ role: "assistant", content }, { role: "tool", content: results });
	}

	async answered(
		callId: string,
		state: Tables["prompts"]["state"],
		answer: Answer | null = null,
	): Promise<void> {
		const row = { token: `prompt_${callId}`, session_id: sessionId, run_id: this.#runId, call_id: callId };
		const times = { reminded: 0, created_at: 0, expires_at: 0 };
		const rest = { seq: 1, request: "{}", floor: 0, scope: null, binding: null, ...times, ...stamp };
		await this.store.commit((tx) =>
			tx
				.insertInto("prompts")
				.values({ ...row, ...rest, state, answer: answer && JSON.stringify(answer) })
				.execute(),
		);
	}

	fit(changed: Partial<ModelRequest> = {}): Promise<ModelRequest> {
		return fitRequest(this.#asker, { ...this.#parts, ...changed }, this.transcript, this.#write);
	}

	/**
	 * Builds the next request, and records its true token count like a model call. Returns the request with its tokens,
	 * and the context after a reply of `outputTokens` tokens.
	 */
	async call(outputTokens = 1): Promise<ToyCall> {
		const request = await this.fit();
		const tokens = this.count(request);
		const usage = { ...noUsage, inputTokens: tokens, outputTokens };
		observeUsage(this.#asker, this.#contexts, request, usage);
		const content = [{ type: "text", text: "Yes." }] as const;
		const snapshot = contextAfter(this.#asker, this.#contexts, request, {
			model: "toy",
			usage,
			content,
			stop: "end_turn",
			failure: undefined,
		});
		const facts = { model: "toy-20260101", provider: "toy", cost: 0, durationMs: 1, error: "", usage };
		await this.session.commit((_tx, record) =>
			record({ type: "model.called", runId: this.#runId, messages: request.messages.length, ...facts }),
		);
		return { request, tokens, snapshot };
	}

	compactNow(instruction?: string): Promise<Compacted | undefined> {
		const requested = { write: this.#write, ...defined({ instruction }) };
		return compactNow(this.#asker, this.#parts, this.transcript, requested);
	}

	count(request: ModelRequest): number {
		return countRequest(this.tokenizer, request);
	}

	/** Returns the recorded compactions, oldest first. */
	async compactions(): Promise<{ level: string; tokensBefore: number; tokensAfter: number }[]> {
		const filter = { sessionId, types: ["context.compacted"], limit: 1_000 };
		const events = await this.#journal.recent(filter);
		return events.flatMap(({ event }) => (event.type === "context.compacted" ? [event] : []));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.store.close();
		await rm(this.#directory, { recursive: true, force: true });
	}

	get #runId(): string {
		return `run_${this.transcript.at(-1)?.ordinal ?? 0}`;
	}

	get #asker(): Asker {
		return {
			id: this.#runId,
			session: this.session,
			contexts: this.#contexts,
			journal: this.#journal,
			log: this.log,
			signal: this.#abort.signal,
			settings: this.settings,
		};
	}

	get #parts(): Omit<ModelRequest, "messages"> {
		const { system = "You help.", tools = [] } = this.options;
		return { model: "toy", system, tools };
	}

	readonly #write: WriteText = async (request) => {
		this.written.push(request);
		return this.options.write ? this.options.write(request) : `Summary number ${this.written.length}.`;
	};

	#newContexts(): Contexts {
		const { clock, log } = this;
		return new Contexts({ clock, log, journal: this.#journal, failpoints: noFailpoints });
	}

	#newSession(): Session {
		const { store, clock, log } = this;
		const redactor = new Redactor();
		const row = sessionRow({ id: sessionId, owner: "operator", ...facts }, 0);
		return new Session(row, undefined, {
			journal: this.#journal,
			clock,
			observers: new Observers(),
			redactor,
			audit: new Audit({ store, clock, log, redactor }),
			startedAt: 0,
			stopping: () => false,
		});
	}
}

export type Tokenizer = (text: string) => number;

/** Simple tokenizers with tokens of different lengths. */
export const tokenizers = {
	words: (text) => text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu)?.length ?? 0,
	pairs: (text) => Math.ceil(text.length / 2),
	bytes: (text) => Math.ceil(Buffer.byteLength(text) / 5),
	pieces: (text) =>
		text.match(/\p{sc=Han}|[a-zA-Z]{1,6}|[0-9]{1,3}|[^\sa-zA-Z0-9\p{sc=Han}]| {2,}/gu)?.length ?? 0,
} as const satisfies Record<string, Tokenizer>;

/** Counts the tokens of a complete request, including the tokens that a provider adds to messages, tools and blocks. */
export function countRequest(tokenizer: Tokenizer, { system, tools, messages }: ModelRequest): number {
	const described = tools.map((tool) => 10 + tokenizer(JSON.stringify(tool)));
	const counts = messages.map((message) => 3 + countMessage(tokenizer, message));
	return [...described, ...counts].reduce((sum, tokens) => sum + tokens, 50 + tokenizer(system));
}

function countMessage(tokenizer: Tokenizer, { content }: Message): number {
	return content.reduce((sum, block) => {
		if (block.type === "image") return sum + 1_000;
		if (block.type === "call") {
			return sum + 5 + tokenizer(`${block.name} ${JSON.stringify(block.arguments)}`);
		}
		const images = block.type === "result" ? (block.pictures?.length ?? 0) : 0;
		return sum + 1 + tokenizer(block.text) + images * 1_000;
	}, 0);
}
