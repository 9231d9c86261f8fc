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
import { SessionView } from "../view/session-view.ts";

/** Well before the end of what was accepted: 8 hours after it was. */
const acceptAgainMs = 4 * 60 * 60 * 1000;

/** Who asks the agent: whoever started the process. */
const principal: Principal = { id: "operator", kind: "operator", via: "zot" };

/** How the agent works, for the session that it is in now. */
export interface AgentSettings {
	readonly provider: string;
	/** Sessions work there. */
	readonly cwd: string;
	/** Whether calls run unasked, but for what is always asked. */
	readonly acceptsAll: boolean;
	/** What is known of a model of the provider, listed or not. */
	readonly findModel?: (name: string) => ModelInfo | undefined;
	/** Throws `invalid_argument` for the name of a model that the server does not list; absent where the runtime knows. */
	readonly checkModel?: (name: string) => Promise<void>;
	/** How much models think; read whenever a prompt begins. */
	reasoning: Reasoning | undefined;
}

export interface AgentOptions {
	readonly runtime: Runtime;
	readonly settings: AgentSettings;
	/** Milliseconds on a clock that never goes back. */
	readonly now: () => number;
	/** The session that is taken up again, if any. */
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
	/** Until the next event that is recorded. */
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

	/** From now on the session's events go there, in their order; it must not throw. */
	listen(deliver: (event: SessionEvent) => void): void {
		this.#deliver = deliver;
	}

	/** The real name of the model that answers. */
	get model(): string {
		return this.#model;
	}

	/** The run that begins; its events follow. Nothing may run already. */
	async prompt(content: string, images: readonly ImageBlock[]): Promise<string> {
		await this.#accept();
		return (await this.#joined.send(asked("prompt"), { content, images })).runId;
	}

	/** Ends this run, if it has not ended, and kills what its tools run. */
	async abort(runId: string): Promise<void> {
		await this.#joined.cancel(asked("abort"), { runId });
	}

	/** Puts a summary in the place of what was said, and returns it; undefined where there is nothing to say. */
	async compact(signal: AbortSignal): Promise<string | undefined> {
		const done = await this.#runtime.compact(asked("compact"), this.#joined.id, { signal });
		return done?.summary;
	}

	transcript(): Promise<readonly TimedMessage[]> {
		return this.#runtime.transcript(principal, this.#joined.id);
	}

	/** How many messages the transcript has: programs ask for it again and again, and it is read once for each change. */
	messageCount(): Promise<number> {
		this.#messageCount ??= this.transcript().then(({ length }) => length);
		const count = this.#messageCount;
		// What could not be read is read again.
		count.catch(() => this.#forgetCount(count));
		return count;
	}

	/** Forgets all that was said. The model that was chosen stays. */
	async clear(): Promise<void> {
		const left = this.#joined.id;
		// Also where it is the provider's own default now: that of the next process may be another.
		const chosen = this.#view?.model;
		const fresh = await this.#create();
		await this.#view?.leave();
		await this.#enter(fresh);
		if (chosen !== undefined) await this.takeModel(chosen);
		await this.#runtime.remove(asked("clear"), left, true);
	}

	/** Sets a model that the client names. Throws `invalid_argument` for one that there is not; then nothing has changed. */
	async setModel(wanted: string): Promise<string> {
		if (wanted === "") {
			throw new ParleyError('model: "" names no model; get_models lists them', { code: "invalid_argument" });
		}
		if (wanted !== this.#model) await this.settings.checkModel?.(wanted);
		return this.takeModel(wanted);
	}

	/** Sets a model that the command line or the kept conversation names. */
	async takeModel(wanted: string): Promise<string> {
		this.#model = await this.#joined.setModel(asked("set_model"), wanted);
		return this.#model;
	}

	/** Those that are listed, and the one that answers: another server may have it, and nobody have described it. */
	models(): readonly ModelInfo[] {
		const listed = this.#runtime.models(principal);
		if (listed.some(({ id }) => id === this.#model)) return listed;
		const { provider, findModel } = this.settings;
		return [findModel?.(this.#model) ?? unknownModel(this.#model, provider), ...listed];
	}

	async answer(token: string, response: PromptResponse): Promise<void> {
		await this.#joined.answer(asked("approve"), token, response);
	}

	/** All calls run unasked from now on, but for what is always asked. */
	async acceptAll(): Promise<void> {
		this.#acceptedAt = this.#now();
		await this.#joined.acceptAll(asked("approve"));
	}

	async close(): Promise<void> {
		await this.#view?.leave();
	}

	/** The session that the agent is in: `open` enters the first one. */
	get #joined(): SessionView {
		if (this.#view) return this.#view;
		throw new ParleyError("the agent is in no session", { code: "internal" });
	}

	async #create(): Promise<string> {
		const wanted = { rootDir: this.settings.cwd };
		return (await SessionView.create(this.#runtime, asked("rpc"), wanted)).id;
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

	/** What was accepted ends after hours, and the process may live for weeks. */
	async #accept(): Promise<void> {
		const last = this.#acceptedAt;
		const given = last ?? (this.settings.acceptsAll ? Number.NEGATIVE_INFINITY : undefined);
		if (given !== undefined && this.#now() - given > acceptAgainMs) await this.acceptAll();
	}
}

function asked(method: string): Keyed {
	return { principal, key: undefined, method, params: {} };
}
