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

/** Interval of renewals: a grant for all calls lasts 8 hours. */
const acceptAgainMs = 4 * 60 * 60 * 1000;

/** The operator started the process. */
const principal: Principal = { id: "operator", kind: "operator", via: "zot" };

export interface AgentSettings {
	readonly provider: string;
	readonly cwd: string;
	/** Whether calls need no approval, except those that always require one. */
	readonly acceptsAll: boolean;
	/** Facts about a model of the provider, listed or not. */
	readonly findModel?: (name: string) => ModelInfo | undefined;
	/** Throws `invalid_argument` for a model that the server does not list. Absent if the runtime checks names. */
	readonly checkModel?: (name: string) => Promise<void>;
	/** Reasoning level of the models, read when a prompt starts. */
	reasoning: Reasoning | undefined;
}

export interface AgentOptions {
	readonly runtime: Runtime;
	readonly settings: AgentSettings;
	/** Milliseconds on a monotonic clock. */
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
	/** Cached until the next recorded event. */
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

	/** Sets the receiver of the session's events; it must not throw. */
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

	/** Replaces the conversation by a summary and returns it; undefined without new content. */
	async compact(signal: AbortSignal): Promise<string | undefined> {
		const done = await this.#runtime.compact(keyed("compact"), this.#joined.id, { signal });
		return done?.summary;
	}

	transcript(): Promise<readonly TimedMessage[]> {
		return this.#runtime.transcript(principal, this.#joined.id);
	}

	/** Number of messages of the transcript, read once for each change because clients ask often. */
	messageCount(): Promise<number> {
		this.#messageCount ??= this.transcript().then(({ length }) => length);
		const count = this.#messageCount;
		// A failed read is repeated the next time.
		count.catch(() => this.#forgetCount(count));
		return count;
	}

	/** Starts an empty session and deletes the old one. The chosen model stays. */
	async clear(): Promise<void> {
		const left = this.#joined.id;
		// Also if it is the provider's default now: the next process may have another default.
		const chosen = this.#view?.model;
		const fresh = await this.#create();
		await this.#view?.leave();
		await this.#enter(fresh);
		if (chosen !== undefined) await this.restoreModel(chosen);
		await this.#runtime.remove(keyed("clear"), left, true);
	}

	/** Sets a model that the client names. Throws `invalid_argument` for an unknown one and changes nothing. */
	async setModel(requested: string): Promise<string> {
		if (requested === "") {
			throw new ParleyError(zotErrorTexts.emptyModel, {
				code: "invalid_argument",
			});
		}
		if (requested !== this.#model) await this.settings.checkModel?.(requested);
		return this.restoreModel(requested);
	}

	/** Sets the model of the command line or of the stored session. */
	async restoreModel(requested: string): Promise<string> {
		this.#model = await this.#joined.setModel(keyed("set_model"), requested);
		return this.#model;
	}

	/** The listed models and the active one, which another server may have without a description. */
	models(): readonly ModelInfo[] {
		const listed = this.#runtime.models(principal);
		if (listed.some(({ id }) => id === this.#model)) return listed;
		const { provider, findModel } = this.settings;
		return [findModel?.(this.#model) ?? unknownModel(this.#model, provider), ...listed];
	}

	async answer(token: string, response: PromptResponse): Promise<void> {
		await this.#joined.answer(keyed("approve"), token, response);
	}

	/** Approves all later calls, except those that always require approval. */
	async acceptAll(): Promise<void> {
		this.#acceptedAt = this.#now();
		await this.#joined.acceptAll(keyed("approve"));
	}

	async close(): Promise<void> {
		await this.#view?.leave();
	}

	/** The current session. `open` joins the first one. */
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

	/** Renews the grant for all calls, because the process may live longer than it. */
	async #accept(): Promise<void> {
		const last = this.#acceptedAt;
		const given = last ?? (this.settings.acceptsAll ? Number.NEGATIVE_INFINITY : undefined);
		if (given !== undefined && this.#now() - given > acceptAgainMs) await this.acceptAll();
	}
}

function keyed(method: string): Keyed {
	return { principal, key: undefined, method, params: {} };
}
