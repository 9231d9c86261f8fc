import { ParleyError } from "@parley/base";
import {
	type ImageBlock,
	type Keyed,
	type ModelInfo,
	type Principal,
	type PromptResponse,
	type Reasoning,
	type Runtime,
	type SessionEvent,
	type TimedMessage,
	unknownModel,
} from "@parley/core";
import { zotErrorTexts } from "../../texts/wires/zot.ts";
import { SessionView } from "../view/session-view.ts";

/** Milliseconds after which the next prompt renews the grant for all calls. A grant lasts 8 hours. */
const renewalMs = 4 * 60 * 60 * 1000;

/** Principal of the client: the operator, who started the process. */
const principal: Principal = { id: "operator", kind: "operator", via: "zot" };

export interface AgentSettings {
	readonly provider: string;
	readonly cwd: string;
	/** Whether calls need no approval, except calls that always require approval. */
	readonly acceptsAll: boolean;
	/** Returns facts about a model of the provider, listed or not. */
	readonly findModel?: (name: string) => ModelInfo | undefined;
	/**
	 * Rejects with `invalid_argument` for a model that the server does not list. Accepts any name if the list cannot be
	 * read. Absent if the runtime checks names.
	 */
	readonly checkModel?: (name: string) => Promise<void>;
	/** Reasoning level of the models, read when a prompt starts. */
	reasoning: Reasoning | undefined;
}

export interface AgentOptions {
	readonly runtime: Runtime;
	readonly settings: AgentSettings;
	/** Returns the milliseconds of a monotonic clock. */
	readonly now: () => number;
	readonly sessionId: string | undefined;
}

/** One session of the core at a time, for one client. */
export class Agent {
	readonly settings: AgentSettings;
	readonly #runtime: Runtime;
	readonly #now: () => number;
	#model = "";
	#view: SessionView | undefined;
	#acceptedAt: number | undefined;
	/** Number of messages, which is cached until the next recorded event. */
	#messageCount: Promise<number> | undefined;
	#deliver: (event: SessionEvent) => void = () => undefined;

	private constructor({ runtime, settings, now }: AgentOptions) {
		this.#runtime = runtime;
		this.settings = settings;
		this.#now = now;
	}

	static async open(options: AgentOptions): Promise<Agent> {
		const agent = new Agent(options);
		await agent.#enter(options.sessionId ?? (await agent.#create()));
		return agent;
	}

	/** Sets the receiver of the session's events. The receiver must not throw. */
	listen(deliver: (event: SessionEvent) => void): void {
		this.#deliver = deliver;
	}

	get model(): string {
		return this.#model;
	}

	/** Sends a message and returns the id of its run. No run may be active. */
	async prompt(content: string, images: readonly ImageBlock[]): Promise<string> {
		await this.#accept();
		return (await this.#joined.send(keyed("prompt"), { content, images })).runId;
	}

	/** Cancels the run, if it has not ended, and kills the processes of its tools. */
	async abort(runId: string): Promise<void> {
		await this.#joined.cancel(keyed("abort"), { runId });
	}

	/** Replaces the conversation with a summary. Returns the summary, or undefined without new content. */
	async compact(signal: AbortSignal): Promise<string | undefined> {
		const done = await this.#runtime.compact(keyed("compact"), this.#joined.id, { signal });
		return done?.summary;
	}

	transcript(): Promise<readonly TimedMessage[]> {
		return this.#runtime.transcript(principal, this.#joined.id);
	}

	/**
	 * Returns the number of messages in the transcript. The transcript is read only once after each change, because
	 * clients request the number often.
	 */
	messageCount(): Promise<number> {
		this.#messageCount ??= this.transcript().then(({ length }) => length);
		const count = this.#messageCount;
		// The next call repeats a failed read.
		count.catch(() => this.#forgetCount(count));
		return count;
	}

	/** Starts an empty session and deletes the old one. The chosen model stays. */
	async clear(): Promise<void> {
		const left = this.#joined.id;
		// The model is stored even if it is the provider's default now, because the next process may have another default.
		const chosen = this.#view?.model;
		const fresh = await this.#create();
		await this.#view?.leave();
		await this.#enter(fresh);
		if (chosen !== undefined) await this.restoreModel(chosen);
		await this.#runtime.remove(keyed("clear"), left, true);
	}

	/**
	 * Sets a model that the client names, and returns its real name. Rejects with `invalid_argument` for an unknown model,
	 * and then changes nothing.
	 */
	async setModel(requested: string): Promise<string> {
		if (requested === "") {
			throw new ParleyError(zotErrorTexts.emptyModel, {
				code: "invalid_argument",
			});
		}
		if (requested !== this.#model) await this.settings.checkModel?.(requested);
		return this.restoreModel(requested);
	}

	/**
	 * Sets a model without a call of `checkModel`, for example the model from the command line or from the stored
	 * session.
	 */
	async restoreModel(requested: string): Promise<string> {
		this.#model = await this.#joined.setModel(keyed("set_model"), requested);
		return this.#model;
	}

	/**
	 * Returns the listed models. If the active model is not listed, it is added as the first one. For example, it is a
	 * model of the operator's own server.
	 */
	models(): readonly ModelInfo[] {
		const listed = this.#runtime.models(principal);
		if (listed.some(({ id }) => id === this.#model)) return listed;
		const { provider, findModel } = this.settings;
		return [findModel?.(this.#model) ?? unknownModel(this.#model, provider), ...listed];
	}

	async answer(token: string, response: PromptResponse): Promise<void> {
		await this.#joined.answer(keyed("approve"), token, response);
	}

	/** Approves all open and later calls, except calls that always require approval. */
	async acceptAll(): Promise<void> {
		this.#acceptedAt = this.#now();
		await this.#joined.acceptAll(keyed("approve"));
	}

	async close(): Promise<void> {
		await this.#view?.leave();
	}

	get #joined(): SessionView {
		if (this.#view) return this.#view;
		throw new ParleyError(zotErrorTexts.noSession, { code: "internal" });
	}

	async #create(): Promise<string> {
		const requested = { rootDir: this.settings.cwd };
		return (await SessionView.create(this.#runtime, keyed("rpc"), requested)).id;
	}

	async #enter(sessionId: string): Promise<void> {
		const view = await SessionView.join(this.#runtime, sessionId, {
			principal,
			deliver: (event) => {
				if (!event.transient) this.#messageCount = undefined;
				this.#deliver(event);
			},
			drained: () => Promise.resolve(),
		});
		this.#view = view;
		await view.begin();
		this.#messageCount = undefined;
		this.#model = view.model ?? this.#runtime.model;
		this.#acceptedAt = undefined;
	}

	#forgetCount(count: Promise<number>): void {
		if (this.#messageCount === count) this.#messageCount = undefined;
	}

	/** Renews the acceptance of all tools if it is old, because the process may run longer than the grant lasts. */
	async #accept(): Promise<void> {
		const last = this.#acceptedAt;
		const renewedAt = last ?? (this.settings.acceptsAll ? Number.NEGATIVE_INFINITY : undefined);
		if (renewedAt !== undefined && this.#now() - renewedAt > renewalMs) await this.acceptAll();
	}
}

function keyed(method: string): Keyed {
	return { principal, key: undefined, method, params: {} };
}
