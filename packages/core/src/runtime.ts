import {
	type Clock,
	type Failpoints,
	type Ids,
	type Logger,
	ParleyError,
	type Store,
	type Timer,
} from "@parley/base";
import { authorize, isAuthorized } from "./authorize.ts";
import type { Author, Recorded } from "./event.ts";
import { Journal } from "./journal/journal.ts";
import type { Tables } from "./journal/tables.ts";
import type { Model } from "./model.ts";
import type { Principal } from "./principal.ts";
import type { PromptResponse } from "./prompt-answer.ts";
import { drain } from "./run/drain.ts";
import { claimNext, findActive } from "./run/queue.ts";
import type { RunLimits } from "./run/run.ts";
import { Runner } from "./run/start.ts";
import type { Sandbox } from "./sandbox.ts";
import type { SecretBox } from "./secrets.ts";
import { acceptAll } from "./session/accept-all.ts";
import { type Cancelled, cancelTurn } from "./session/cancel.ts";
import { Follower, type Following } from "./session/follow.ts";
import { forgetKeys, type Keyed, once } from "./session/idempotency.ts";
import { listSessions, type SessionSummary } from "./session/list.ts";
import { chooseRoot, createSession, type NewSession, type Roots } from "./session/open.ts";
import { answerPrompt } from "./session/prompts.ts";
import { type Accepted, acceptMessage } from "./session/send.ts";
import type { SessionDeps } from "./session/session.ts";
import { Sessions } from "./session/sessions.ts";
import { systemPromptOf } from "./system-prompt/session-prompt.ts";
import type { Tool } from "./tool.ts";
import { describeTools } from "./tools/builtin.ts";

export interface RuntimeOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly failpoints: Failpoints;
	readonly model: Model;
	/** The model's name for the provider; its default where absent. */
	readonly modelName?: string;
	readonly tools: readonly Tool[];
	readonly sandbox: Sandbox;
	readonly secrets: SecretBox;
	/** Takes secrets out of what tools found, before anybody sees it; unless told, nothing is taken out. */
	readonly redact?: (text: string) => string;
	readonly roots: Roots;
	/** Replaces the system prompt's own text. */
	readonly systemTemplate?: string;
	readonly limits?: Partial<RunLimits>;
}

/** A method of a client as it is asked for: who, under which key, with which parameters. */
export type { Keyed };

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The agent runtime: all that a wire can ask for. Every method checks the principal's right; what it changes is
 * durable when it resolves. Errors are `ParleyError`s whose messages may be shown.
 */
export class Runtime {
	readonly #options: RuntimeOptions;
	readonly #deps: SessionDeps;
	readonly #sessions: Sessions;
	readonly #runner: Runner;
	#draining = false;
	#forgetting: Timer | undefined;

	constructor(options: RuntimeOptions) {
		const { clock, ids, log, failpoints } = options;
		this.#options = options;
		const journal = new Journal(options);
		this.#deps = {
			...{ journal, clock, ids, log, failpoints, startedAt: clock.now() },
			fingerprint: (text) => options.secrets.fingerprint(text),
			stopping: () => this.#draining,
		};
		this.#sessions = new Sessions(this.#deps);
		const { roots } = options;
		this.#runner = new Runner(
			{
				model: options.model,
				modelName: options.modelName ?? options.model.defaultModel,
				tools: options.tools,
				descriptions: describeTools(options.tools),
				sandbox: options.sandbox,
				roots: (session) => [...new Set([session.rootDir, ...roots.given])],
				forbidden: [roots.dataDir],
				redact: options.redact ?? ((text) => text),
				systemPrompt: systemPromptOf(options),
				limits: { modelCalls: 50, workingMs: 30 * 60 * 1000, ...options.limits },
			},
			(session) => this.#sessions.release(session.id),
		);
	}

	/** The name of the model that answers. */
	get model(): string {
		return this.#options.modelName ?? this.#options.model.defaultModel;
	}

	/** Goes on with what the last stop left unfinished. Returns the number of sessions that had something to do. */
	async start(): Promise<number> {
		await this.#forgetKeys();
		const open = await this.#options.store.read((db) =>
			db.selectFrom("runs").select("session_id").distinct().where("state", "<>", "ended").execute(),
		);
		for (const { session_id } of open) {
			try {
				await this.#resume(session_id);
			} catch (error) {
				// One session that cannot be read must not keep the others from being served.
				this.#options.log.error("a session could not go on", { sessionId: session_id, error });
			}
		}
		return open.length;
	}

	async #resume(sessionId: string): Promise<void> {
		using lease = await this.#sessions.leaseOwn(sessionId);
		const { session } = lease;
		const { store, clock } = this.#options;
		const active = await store.read((db) => findActive(db, session.id));
		if (active && session.live.has(active.id)) return;
		if (active) {
			// Awaited, or the lease would be over before the run holds the session.
			await this.#runner.resume(session, active);
			return;
		}
		const claimed = await session.commit((tx) => claimNext(tx, session, clock.now()));
		if (claimed) this.#runner.start(session, claimed);
	}

	/** Keys are kept for three days; looked through once a day. */
	async #forgetKeys(): Promise<void> {
		const { store, clock, log } = this.#options;
		if (this.#draining) return;
		this.#forgetting = clock.after(dayMs, () => void this.#forgetKeys());
		try {
			await store.commit((tx) => forgetKeys(tx, clock.now()));
		} catch (error) {
			log.error("old idempotency keys could not be forgotten", { error });
		}
	}

	/** Creates a session, or finds it by its external key. The id is not joined yet: see `follow`. */
	async create(request: Keyed, wanted: NewSession): Promise<{ id: string; status: "created" | "resumed" }> {
		this.#admit();
		authorize(request.principal, "session.open");
		const root = await chooseRoot(wanted.rootDir, this.#options.roots);
		return createSession(this.#deps, request, { ...wanted, root });
	}

	/** Joins a client to a session; what it then gets is the follower's to begin. */
	async follow(principal: Principal, sessionId: string, following: Following): Promise<Follower> {
		return Follower.join(await this.#sessions.lease(principal, sessionId, "session.read"), following);
	}

	/** Accepts a message and starts its run where nothing is in its way. */
	async send(
		request: Keyed,
		sessionId: string,
		message: { readonly content: string; readonly author?: Author },
	): Promise<Accepted> {
		this.#admit();
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.write");
		const { accepted, start } = await acceptMessage(lease.session, request, message);
		if (start) this.#runner.start(lease.session, start);
		return accepted;
	}

	/** Answers an open question. The first answer wins; later ones change nothing. */
	async answer(request: Keyed, token: string, response: PromptResponse): Promise<void> {
		const row = await this.#options.store.read((db) =>
			db.selectFrom("prompts").select("session_id").where("token", "=", token).executeTakeFirst(),
		);
		const unknown = new ParleyError("prompt not found", { code: "not_found" });
		if (!row) throw unknown;
		const action = response.cancelled === true ? "prompt.deny" : "prompt.answer";
		using lease = await this.#sessions.lease(request.principal, row.session_id, action).catch((reason) => {
			// Who may not see the session learns nothing of it, not even its id.
			throw ParleyError.from(reason).code === "not_found" ? unknown : reason;
		});
		const { session } = lease;
		const { secrets, failpoints } = this.#options;
		const by = request.principal.id;
		await session.commit((tx, record) =>
			once(tx, request, this.#deps, () =>
				answerPrompt(tx, record, session, { token, response, by, secrets }),
			),
		);
		await failpoints.reach("answered");
		session.wake(token);
	}

	/** Approves all tool calls of a session from now on, but for the always-ask floor. */
	async acceptAll(request: Keyed, sessionId: string): Promise<void> {
		using lease = await this.#sessions.lease(request.principal, sessionId, "trust.accept_all");
		await acceptAll(lease.session, request);
	}

	/** Ends the active run, and with `queued` also the messages that wait. */
	async cancel(request: Keyed, sessionId: string, queued: boolean): Promise<Cancelled> {
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.write");
		return cancelTurn(lease.session, request, queued);
	}

	/** The sessions that the principal may see, newest first. */
	async list(principal: Principal, limit: number): Promise<SessionSummary[]> {
		authorize(principal, "session.list");
		const all = isAuthorized(principal, "session.list", { owner: "" });
		return listSessions(this.#options.store, all ? undefined : principal.id, limit);
	}

	/** The newest messages of a session before `beforeSeq`, oldest first. */
	async messages(
		principal: Principal,
		sessionId: string,
		{ limit, beforeSeq }: { readonly limit: number; readonly beforeSeq?: number },
	): Promise<Recorded[]> {
		using lease = await this.#sessions.lease(principal, sessionId, "session.read");
		const types = ["user.message", "assistant.message"];
		const filter = { sessionIds: [lease.session.id], types, limit };
		return this.#deps.journal.recent(beforeSeq === undefined ? filter : { ...filter, beforeSeq });
	}

	/** The newest events of all sessions that the principal may see, oldest first. */
	async events(
		principal: Principal,
		filter: { readonly limit: number; readonly sessionId?: string; readonly types?: readonly string[] },
	): Promise<Recorded[]> {
		authorize(principal, "event.read");
		const { limit, sessionId, types } = filter;
		const narrowed = { limit, ...(types && { types }) };
		if (sessionId !== undefined) {
			using lease = await this.#sessions.lease(principal, sessionId, "event.read");
			return this.#deps.journal.recent({ ...narrowed, sessionIds: [lease.session.id] });
		}
		if (isAuthorized(principal, "event.read", { owner: "" })) return this.#deps.journal.recent(narrowed);
		const own = await listSessions(this.#options.store, principal.id, 1000);
		return this.#deps.journal.recent({ ...narrowed, sessionIds: own.map((session) => session.id) });
	}

	/**
	 * Takes no more work, parks what waits for people, gives the rest `graceMs`, then stops it where it stands.
	 * What was stopped goes on at the next start.
	 */
	async drain(graceMs: number): Promise<void> {
		this.#draining = true;
		this.#forgetting?.cancel();
		this.#runner.stop();
		await drain(this.#sessions.loaded(), graceMs, this.#options.clock);
	}

	#admit(): void {
		if (this.#draining) throw new ParleyError("draining", { code: "unavailable" });
	}
}
