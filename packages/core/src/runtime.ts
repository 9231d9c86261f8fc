import type { ClientTools } from "./agent/client-tools/client-tools.ts";
import type { Stoppable } from "./agent/compact-session.ts";
import type { EstimateError } from "./agent/context/calibration.ts";
import type { Compacted } from "./agent/context/fit-request.ts";
import type { McpServers } from "./agent/mcp/mcp-servers.ts";
import { endInterruptedCompactions } from "./agent/open-compactions.ts";
import type { ProviderState } from "./agent/run/provider-health.ts";
import { resolveChoice, resolveModel } from "./agent/run/settings.ts";
import { drain, resumeUnfinished } from "./agent/runner.ts";
import type { Skills } from "./agent/skills/skills.ts";
import type { Files } from "./files/files.ts";
import type { Memories } from "./memory/memories.ts";
import type { ModelInfo } from "./models/table/model-table.ts";
import { defaultProfile, type Profiles } from "./policy/profiles/profile.ts";
import { type RuntimeOptions, toolPlacesOf } from "./runtime-options.ts";
import { createParts, type OpenedSession, type RuntimeParts } from "./runtime-parts.ts";
import type { Keyed } from "./store/idempotency.ts";
import { readUsage, type UsageFilter, type UsageReport } from "./usage/read-usage.ts";
import type { BudgetChange } from "./usage/set-budget.ts";
import { acceptAll } from "./use-cases/messages/accept-all.ts";
import { answerQuestion } from "./use-cases/messages/answer.ts";
import { type Cancelled, type CancelScope, stopTurn } from "./use-cases/messages/cancel.ts";
import { type Explanation, explainRun } from "./use-cases/messages/explain.ts";
import type { SessionFeedback } from "./use-cases/messages/feedback.ts";
import { type Joined, joinTurn } from "./use-cases/messages/join.ts";
import type { OpenPrompts } from "./use-cases/messages/open-prompts.ts";
import { OperatorRequests } from "./use-cases/messages/operator-requests.ts";
import { lastOptions, retryLast } from "./use-cases/messages/retry.ts";
import { classifyAuthors } from "./use-cases/messages/select-context.ts";
import {
	type Accepted,
	acceptMessage,
	chooseOptions,
	type NewMessage,
	withSkill,
} from "./use-cases/messages/send.ts";
import { type Steered, type SteerMessage, steer } from "./use-cases/messages/steer.ts";
import type { Schedules } from "./use-cases/schedules/schedules.ts";
import { Follower, type Following } from "./use-cases/sessions/follow.ts";
import { type Fork, type ForkOptions, forkSession } from "./use-cases/sessions/fork.ts";
import { listSessions, type SessionFilter, type SessionSummary } from "./use-cases/sessions/list.ts";
import type { NewSession } from "./use-cases/sessions/open.ts";
import type { EventHistory } from "./use-cases/sessions/read-events.ts";
import { readTranscript, type TimedMessage } from "./use-cases/sessions/read-transcript.ts";
import { removeSession } from "./use-cases/sessions/remove.ts";
import { renameSession } from "./use-cases/sessions/rename.ts";
import { SessionCommands } from "./use-cases/sessions/session-commands.ts";
import { setBudget } from "./use-cases/sessions/set-budget.ts";
import { setModel } from "./use-cases/sessions/set-model.ts";
import { type ToolPermission, toolPermissions } from "./use-cases/sessions/tool-permissions.ts";
import { watchEvents } from "./use-cases/sessions/watch-events.ts";
import type { Tasks } from "./use-cases/tasks/tasks.ts";
import type { Trust } from "./use-cases/trust/trust.ts";
import { type Action, authorize } from "./vocabulary/authorize.ts";
import type { Recorded, SessionEvent } from "./vocabulary/event.ts";
import type { Principal } from "./vocabulary/principal.ts";
import type { PromptResponse } from "./vocabulary/prompt.ts";
import { configuresSession, type RunOptions } from "./vocabulary/run-options.ts";
import { noBudgets } from "./vocabulary/usage.ts";

/**
 * Agent runtime with the operations of the wire protocols. Each method with a principal checks the
 * principal's permissions. Recorded changes are durable when a method resolves.
 */
export class Runtime {
	readonly files: Files;
	readonly history: EventHistory;
	readonly feedback: SessionFeedback;
	readonly prompts: OpenPrompts;
	readonly trust: Trust;
	readonly clientTools: ClientTools;
	readonly mcp: McpServers;
	readonly memories: Memories;
	readonly schedules: Schedules;
	readonly skills: Skills;
	readonly tasks: Tasks;
	readonly commands: SessionCommands;
	readonly operator: OperatorRequests;
	readonly #options: RuntimeOptions;
	readonly #parts: RuntimeParts;

	constructor(options: RuntimeOptions) {
		const parts = createParts(options);
		this.#options = options;
		this.#parts = parts;
		this.files = parts.services.files;
		this.history = parts.history;
		this.feedback = parts.feedback;
		this.prompts = parts.prompts;
		this.trust = parts.trust;
		this.clientTools = parts.clientTools;
		this.mcp = parts.mcp;
		this.memories = parts.memories;
		this.schedules = parts.schedules;
		this.skills = parts.skills;
		this.tasks = parts.tasks;
		this.commands = new SessionCommands({ ...parts.services, ...parts });
		const admit = (): void => parts.admission.require();
		const { sessions, runner, trust } = parts;
		const { places, checks } = trust;
		const operatorParts = { ...parts.services, ...toolPlacesOf(options), sessions, runner, places, checks };
		this.operator = new OperatorRequests({ ...operatorParts, admit });
	}

	/** Returns the name of the default model. */
	get model(): string {
		const choice = { ...this.#parts.choice, anyModel: true };
		return resolveModel(choice.modelName ?? choice.model.defaultModel, choice);
	}

	/** Returns the number of sessions in use, for example by a client or an active run. */
	get loaded(): number {
		return this.#parts.sessions.size;
	}

	/** Continues unfinished work. Returns the number of sessions with unfinished runs. Sessions of tasks are not counted. */
	async start(): Promise<number> {
		await this.trust.load();
		// `housekeeping` deletes old keys, so interrupted compactions are ended first.
		await endInterruptedCompactions(this.#parts.services, this.#parts.sessions);
		await this.#parts.housekeeping.begin();
		await this.#parts.commands.recover();
		this.#parts.reminders.start();
		const resumed = await resumeUnfinished(this.#parts.services, this.#parts.sessions, this.#parts.runner);
		await this.#parts.taskRunner.start();
		this.#parts.scheduleClock.start();
		return resumed;
	}

	/** Creates a session, or finds a session by its external key. `follow` then joins the client to the session. */
	async create(request: Keyed, requested: NewSession): Promise<OpenedSession> {
		return this.#parts.open(request, requested);
	}

	/** Throws unless the principal may do this action in the session. */
	async check(principal: Principal, sessionId: string, action: Action): Promise<void> {
		(await this.#parts.sessions.lease(principal, sessionId, action))[Symbol.dispose]();
	}

	/** Joins a client to a session. `begin` of the returned follower starts the delivery of events. */
	async follow(principal: Principal, sessionId: string, following: Following): Promise<Follower> {
		return Follower.join(
			this.#parts.services.journal,
			await this.#parts.sessions.lease(principal, sessionId, "session.read"),
			following,
		);
	}

	/**
	 * Accepts a message and starts its run if no other run is active. The options apply only to this run, even after a
	 * restart. Throws `invalid_argument` for an invalid option, and `permission_denied` for an option that the principal
	 * may not choose.
	 */
	async send(
		request: Keyed,
		sessionId: string,
		message: NewMessage,
		options: RunOptions = {},
	): Promise<Accepted> {
		this.#parts.admission.require();
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		if (configuresSession(options)) await this.check(request.principal, sessionId, "session.configure");
		const { session } = lease;
		const chosen = await chooseOptions(request.principal, session, options, this.#parts.rules);
		// This lookup must be fast, because a cancellation in the same turn of the event loop must find the message.
		const skill = await this.skills.startedBy(session, request.principal, message);
		const { people } = this.#parts.services;
		const read = message.context && (await classifyAuthors(people, request.principal, message.context));
		const ownOptions = await withSkill(session, chosen, skill, this.#parts.rules);
		const chosenMessage = { ...message, read, options: ownOptions };
		const { accepted, start } = await acceptMessage(this.#parts.services, session, request, chosenMessage);
		this.#parts.runner.start(session, start);
		return accepted;
	}

	/**
	 * Adds a message to the active run. If the message starts a skill, or if no run can accept the message, sends the
	 * message as `send` does.
	 */
	async steer(request: Keyed, sessionId: string, message: SteerMessage): Promise<Steered> {
		this.#parts.admission.require();
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		const skill = await this.skills.startedBy(lease.session, request.principal, message);
		// A skill needs a separate run, with its own tools and model.
		if (skill) return { status: "sent", ...(await this.send(request, sessionId, message)) };
		const { steered, start } = await steer(this.#parts.services, lease.session, request, message);
		this.#parts.runner.start(lease.session, start);
		return steered;
	}

	/** Moves a queued message into the active run: see `joinTurn`. */
	async join(request: Keyed, sessionId: string, runId: string): Promise<Joined> {
		this.#parts.admission.require();
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		return joinTurn(this.#parts.services, lease.session, request, runId);
	}

	async retry(request: Keyed, sessionId: string): Promise<Accepted> {
		this.#parts.admission.require();
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		await this.skills.recheck(lease.session, await lastOptions(this.#options.store, sessionId));
		const { accepted, start } = await retryLast(this.#parts.services, lease.session, request);
		this.#parts.runner.start(lease.session, start);
		return accepted;
	}

	/**
	 * Sets the model for the session's later runs by name or tier, and returns the real name of the model. `default`
	 * selects the model of the profile or the gateway. The model of an active run does not change.
	 */
	async setModel(request: Keyed, sessionId: string, requested: string): Promise<{ readonly model: string }> {
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.configure");
		return setModel(
			this.#parts.services,
			lease.session,
			request,
			resolveChoice(lease.session, requested, this.#parts.choice),
		);
	}

	/** Returns the real name of the model for a new session. Throws `invalid_argument` for an unknown name. */
	async modelOf(principal: Principal, requested: { profile?: string; model?: string }): Promise<string> {
		authorize(principal, "model.read");
		const { profile = defaultProfile, model = "default" } = requested;
		return (await resolveChoice({ profile }, model, this.#parts.choice)).model;
	}

	/** Returns the agent profiles, with the errors of unusable profiles. */
	async agents(principal: Principal): ReturnType<Profiles["list"]> {
		authorize(principal, "agents.read");
		return this.#parts.choice.profiles.list();
	}

	models(principal: Principal): readonly ModelInfo[] {
		authorize(principal, "model.read");
		return this.#parts.choice.table.list(this.#parts.choice.model.provider);
	}

	/**
	 * Returns the usage and budgets of the session `filter.sessionId` or, without a session, of all sessions. Throws if the
	 * principal may not read this usage.
	 */
	async usage(principal: Principal, filter: UsageFilter): Promise<UsageReport> {
		const { store, clock, budgets = noBudgets } = this.#options;
		if (filter.sessionId === undefined) authorize(principal, "usage.read", { owner: "" });
		else await this.check(principal, filter.sessionId, "usage.read");
		return readUsage(store, filter, clock.now(), budgets);
	}

	/** Returns the state of the model providers. `since` is in milliseconds since the epoch. */
	health(principal: Principal): { readonly providers: readonly ProviderState[] } {
		authorize(principal, "health.read");
		return { providers: this.#parts.runner.providers };
	}

	/** Returns the errors of token estimates by `provider/model`, for the gateway's metrics. */
	estimateErrors(principal: Principal): ReadonlyMap<string, EstimateError> {
		authorize(principal, "usage.read", { owner: "" });
		return this.#parts.contexts.errors();
	}

	/** Sets, removes or restores a budget of the gateway or of a session at run time. */
	async setBudget(request: Keyed, change: BudgetChange): Promise<void> {
		await setBudget(this.#parts.services, this.#parts.sessions, request, change);
	}

	/** Answers an open question. Returns false if the question was already settled or has expired. */
	async answer(request: Keyed, token: string, response: PromptResponse): Promise<boolean> {
		const { places, checks } = this.trust;
		return answerQuestion(
			{ ...this.#parts.services, sessions: this.#parts.sessions, places, checks },
			request,
			token,
			response,
		);
	}

	/** Approves open and later tool calls of a session, except calls that always require approval: see `acceptAll`. */
	async acceptAll(request: Keyed, sessionId: string): Promise<void> {
		await acceptAll({ ...this.#parts.services, sessions: this.#parts.sessions }, request, sessionId);
	}

	/** Cancels the active run or the runs that `ending` selects. Also ends the channel's trust grant: see `stopTurn`. */
	async cancel(request: Keyed, sessionId: string, ending: CancelScope = {}): Promise<Cancelled> {
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		return stopTurn(this.#parts.services, lease.session, request, ending);
	}

	/** Returns sessions that the principal may see. The session with the newest message is first. */
	async list(principal: Principal, filter: SessionFilter): Promise<SessionSummary[]> {
		return listSessions(this.#options.store, principal, filter);
	}

	/** Sets and returns the title of a session. After an empty title, a model may choose the title again. */
	async rename(request: Keyed, sessionId: string, title: string): Promise<string> {
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.configure");
		return await renameSession(this.#parts.services, lease.session, request, title);
	}

	/** Starts a session with the first turns of another session: see `forkSession`. */
	async fork(request: Keyed, sessionId: string, options: ForkOptions = {}): Promise<Fork> {
		this.#parts.admission.require();
		return forkSession({ ...this.#parts.services, ...this.#parts }, request, sessionId, options);
	}

	/** Deletes a session with all its data. Requires `force` while a run or a task has not ended. */
	async remove(request: Keyed, sessionId: string, force: boolean): Promise<void> {
		this.#parts.admission.require();
		const { services, sessions, commands } = this.#parts;
		await removeSession({ ...services, sessions, commands }, request, { sessionId, force });
	}

	/** Returns the history of one message, including the decisions about its tool calls. Default: the last message. */
	async explain(principal: Principal, sessionId: string, runId?: string): Promise<Explanation> {
		using lease = await this.#parts.sessions.lease(principal, sessionId, "session.read");
		return explainRun(this.#parts.services, lease.session, runId);
	}

	/** Returns the transcript as the model sees it, with summaries. */
	async transcript(principal: Principal, sessionId: string): Promise<readonly TimedMessage[]> {
		using lease = await this.#parts.sessions.lease(principal, sessionId, "session.read");
		return await readTranscript(this.#parts.services, lease.session);
	}

	/**
	 * Replaces the transcript with a summary. Returns undefined if there is nothing to summarise. Throws
	 * `failed_precondition` if a run is active or queued, or if another compaction is running.
	 */
	async compact(request: Keyed, sessionId: string, ending: Stoppable): Promise<Compacted | undefined> {
		this.#parts.admission.require();
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		return await this.#parts.runner.compact(lease.session, request, ending);
	}

	/**
	 * Compacts the transcript in the background. The event `compaction.ended` reports the end. Throws `failed_precondition`
	 * if a run is active or queued, or if another compaction is running.
	 */
	async startCompaction(request: Keyed, sessionId: string): Promise<void> {
		this.#parts.admission.require();
		const { sessions, runner } = this.#parts;
		const lease = await sessions.lease(request.principal, sessionId, "session.configure");
		try {
			const { ended } = await runner.startCompaction(lease.session, request);
			void ended.finally(() => lease[Symbol.dispose]());
		} catch (reason) {
			lease[Symbol.dispose]();
			throw reason;
		}
	}

	/** Returns the current permission for each tool of a run. `correlation` is the client's id of the run's message. */
	async toolPermissions(
		principal: Principal,
		sessionId: string,
		correlation?: string,
	): Promise<readonly ToolPermission[]> {
		using lease = await this.#parts.sessions.lease(principal, sessionId, "session.read");
		const { session } = lease;
		const { tools } = await this.#parts.rules.settings(session, undefined, correlation);
		return toolPermissions(session, this.trust.policies.of(session), tools);
	}

	/** Delivers past and future recorded events of a session: see `watchEvents`. Throws `not_found` as `follow` does. */
	async watch(
		principal: Principal,
		sessionId: string,
		deliver: (event: Recorded) => void,
	): Promise<() => void> {
		using lease = await this.#parts.sessions.lease(principal, sessionId, "event.read");
		return await watchEvents(lease.session.id, {
			journal: this.#parts.services.journal,
			deliver,
			observe: (observer) => this.observe(principal, observer),
		});
	}

	/** Delivers events of all sessions that the principal may see, until the returned function is called. */
	observe(principal: Principal, observer: (event: SessionEvent) => void): () => void {
		return this.#parts.observers.addFor(principal, observer);
	}

	/**
	 * Refuses new work, ends background commands and parks runs that wait for people. Other runs have `graceMs`
	 * milliseconds before they are stopped. Stopped runs continue at the next start.
	 */
	async drain(graceMs: number): Promise<void> {
		this.#parts.admission.stop();
		this.#parts.housekeeping.stop();
		this.#parts.runner.stop();
		const tasks = this.#parts.taskRunner.stop();
		const commands = this.#parts.commands.close();
		await this.#parts.scheduleClock.stop();
		await drain(this.#parts.sessions.loaded(), graceMs, this.#options.clock);
		const { titles, reminders, mcp } = this.#parts;
		await Promise.all([tasks, commands, titles.stop(), reminders.stop(), this.trust.stop(), mcp.close()]);
	}
}
