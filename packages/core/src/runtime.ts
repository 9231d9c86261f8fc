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
import type { RuntimeOptions } from "./runtime-options.ts";
import { createParts, type OpenedSession, type RuntimeParts } from "./runtime-parts.ts";
import type { Keyed } from "./store/idempotency.ts";
import { readUsage, type UsageFilter, type UsageReport } from "./usage/read-usage.ts";
import type { BudgetChange } from "./usage/set-budget.ts";
import { acceptAll } from "./use-cases/messages/accept-all.ts";
import { answerQuestion } from "./use-cases/messages/answer.ts";
import { type Cancelled, type Ending, stopTurn } from "./use-cases/messages/cancel.ts";
import { type Explanation, explainRun } from "./use-cases/messages/explain.ts";
import type { SessionFeedback } from "./use-cases/messages/feedback.ts";
import { type Joined, joinTurn } from "./use-cases/messages/join.ts";
import type { OpenPrompts } from "./use-cases/messages/open-prompts.ts";
import { OperatorRequests } from "./use-cases/messages/operator-requests.ts";
import { lastOptions, retryLast } from "./use-cases/messages/retry.ts";
import { judgeContext } from "./use-cases/messages/select-context.ts";
import {
	type Accepted,
	acceptMessage,
	chooseOptions,
	type NewMessage,
	withSkill,
} from "./use-cases/messages/send.ts";
import { type Steered, steer } from "./use-cases/messages/steer.ts";
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
 * The agent runtime: all operations that a wire can request. Every method checks the principal's rights, and its changes are
 * durable when it resolves. Errors are `ParleyError`s whose messages may be shown.
 */
export class Runtime {
	/** Files of people and tools. */
	readonly files: Files;
	readonly history: EventHistory;
	readonly feedback: SessionFeedback;
	readonly prompts: OpenPrompts;
	/** Tokens, people, channels, rules and the audit. */
	readonly trust: Trust;
	readonly clientTools: ClientTools;
	/** Servers of the Model Context Protocol. */
	readonly mcp: McpServers;
	/** Notes about people, about channels, and shared ones. */
	readonly memories: Memories;
	/** Messages that are sent to sessions at given times. */
	readonly schedules: Schedules;
	/** Instructions for kinds of work, in files of the operator and of working directories. */
	readonly skills: Skills;
	/** Work in the background. */
	readonly tasks: Tasks;
	/** Commands in the background of sessions. */
	readonly commands: SessionCommands;
	/** Requests that only an operator can send. */
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
		this.operator = new OperatorRequests({ ...parts.services, sessions, runner, places, checks, admit });
	}

	/** The name of the model that answers. */
	get model(): string {
		const choice = { ...this.#parts.choice, anyModel: true };
		return resolveModel(choice.modelName ?? choice.model.defaultModel, choice);
	}

	/** Number of sessions in use: a client has joined them, or a run works. */
	get loaded(): number {
		return this.#parts.sessions.size;
	}

	/** Continues unfinished work. Returns the number of sessions that had some. */
	async start(): Promise<number> {
		await this.trust.load();
		// Before old keys are forgotten.
		await endInterruptedCompactions(this.#parts.services, this.#parts.sessions);
		await this.#parts.housekeeping.begin();
		await this.#parts.commands.recover();
		this.#parts.reminders.start();
		const resumed = await resumeUnfinished(this.#parts.services, this.#parts.sessions, this.#parts.runner);
		await this.#parts.taskRunner.start();
		this.#parts.scheduleClock.start();
		return resumed;
	}

	/** Creates a session, or finds it by its external key. The id is not joined yet: see `follow`. */
	async create(request: Keyed, requested: NewSession): Promise<OpenedSession> {
		return this.#parts.open(request, requested);
	}

	/** Throws the error that this action in the session would cause. */
	async check(principal: Principal, sessionId: string, action: Action): Promise<void> {
		(await this.#parts.sessions.lease(principal, sessionId, action))[Symbol.dispose]();
	}

	/** Joins a client to a session. The returned follower starts the delivery. */
	async follow(principal: Principal, sessionId: string, following: Following): Promise<Follower> {
		return Follower.join(
			this.#parts.services.journal,
			await this.#parts.sessions.lease(principal, sessionId, "session.read"),
			following,
		);
	}

	/**
	 * Accepts a message and starts its run if no other run is active. The options apply only to this run, also after a
	 * restart. Throws `invalid_argument` for an option that is not possible, and `permission_denied` for one that the
	 * principal may not choose.
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
		// Must be fast, because a cancellation in the same turn of the event loop must find the message.
		const skill = await this.skills.startedBy(session, request.principal, message);
		const { people } = this.#parts.services;
		const read = message.context && (await judgeContext(people, request.principal, message.context));
		const ownOptions = await withSkill(session, chosen, skill, this.#parts.rules);
		const chosenMessage = { ...message, read, options: ownOptions };
		const { accepted, start } = await acceptMessage(this.#parts.services, session, request, chosenMessage);
		this.#parts.runner.start(session, start);
		return accepted;
	}

	/** Adds a message to the active run before its next model call. Without one, like `send`. */
	async steer(request: Keyed, sessionId: string, message: NewMessage): Promise<Steered> {
		this.#parts.admission.require();
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		const skill = await this.skills.startedBy(lease.session, request.principal, message);
		// A skill has its own run, with its own tools and model.
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

	/** Repeats the last reply. */
	async retry(request: Keyed, sessionId: string): Promise<Accepted> {
		this.#parts.admission.require();
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		await this.skills.checkAgain(lease.session, await lastOptions(this.#options.store, sessionId));
		const { accepted, start } = await retryLast(this.#parts.services, lease.session, request);
		this.#parts.runner.start(lease.session, start);
		return accepted;
	}

	/**
	 * Chooses the model of the session's next runs by name or tier and returns its real name. `default` selects the model of
	 * the profile or the gateway. An active run keeps its model.
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

	/** The real name of the model of a new session. Throws `invalid_argument` for an unknown one. */
	async modelOf(principal: Principal, requested: { profile?: string; model?: string }): Promise<string> {
		authorize(principal, "model.read");
		const { profile = defaultProfile, model = "default" } = requested;
		return (await resolveChoice({ profile }, model, this.#parts.choice)).model;
	}

	/** Agent profiles, with the errors of unusable ones. */
	async agents(principal: Principal): ReturnType<Profiles["list"]> {
		authorize(principal, "agents.read");
		return this.#parts.choice.profiles.list();
	}

	/** The models of the gateway's provider that are known by name. */
	models(principal: Principal): readonly ModelInfo[] {
		authorize(principal, "model.read");
		return this.#parts.choice.table.list(this.#parts.choice.model.provider);
	}

	/** Usage and budgets. Without a session: of all sessions, for principals that may see all. */
	async usage(principal: Principal, filter: UsageFilter): Promise<UsageReport> {
		const { store, clock, budgets = noBudgets } = this.#options;
		if (filter.sessionId === undefined) authorize(principal, "usage.read", { owner: "" });
		else await this.check(principal, filter.sessionId, "usage.read");
		return readUsage(store, filter, clock.now(), budgets);
	}

	/** State of the model providers; `since` is in milliseconds since the epoch. */
	health(principal: Principal): { readonly providers: readonly ProviderState[] } {
		authorize(principal, "health.read");
		return { providers: this.#parts.runner.providers };
	}

	/** Errors of the token estimates by `provider/model`, as a metric of the gateway. */
	estimateErrors(principal: Principal): ReadonlyMap<string, EstimateError> {
		authorize(principal, "usage.read", { owner: "" });
		return this.#parts.contexts.errors();
	}

	/** Sets a budget at run time, which replaces the configured one. */
	async setBudget(request: Keyed, change: BudgetChange): Promise<void> {
		await setBudget(this.#parts.services, this.#parts.sessions, request, change);
	}

	/** Answers an open question. The first answer is used. Returns false for a later one, which changes nothing. */
	async answer(request: Keyed, token: string, response: PromptResponse): Promise<boolean> {
		const { places, checks } = this.trust;
		return answerQuestion(
			{ ...this.#parts.services, sessions: this.#parts.sessions, places, checks },
			request,
			token,
			response,
		);
	}

	/** Approves all later tool calls of a session, except those of the always-ask floor. */
	async acceptAll(request: Keyed, sessionId: string): Promise<void> {
		await acceptAll({ ...this.#parts.services, sessions: this.#parts.sessions }, request, sessionId);
	}

	/** Cancels the active run or the selected runs, and ends the trust in the channel. */
	async cancel(request: Keyed, sessionId: string, ending: Ending = {}): Promise<Cancelled> {
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		return stopTurn(this.#parts.services, lease.session, request, ending);
	}

	/** The sessions that the principal may see, newest first. */
	async list(principal: Principal, filter: SessionFilter): Promise<SessionSummary[]> {
		return listSessions(this.#options.store, principal, filter);
	}

	/** Sets the title of a session. An empty title allows a model to choose one again. */
	async rename(request: Keyed, sessionId: string, title: string): Promise<string> {
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.configure");
		return await renameSession(this.#parts.services, lease.session, request, title);
	}

	/** Starts a session with the first turns of another one: see `forkSession`. */
	async fork(request: Keyed, sessionId: string, options: ForkOptions = {}): Promise<Fork> {
		this.#parts.admission.require();
		return forkSession({ ...this.#parts.services, ...this.#parts }, request, sessionId, options);
	}

	/** Deletes a session with all its data. Needs `force` while a run is active or a question is open. */
	async remove(request: Keyed, sessionId: string, force: boolean): Promise<void> {
		this.#parts.admission.require();
		const { services, sessions, commands } = this.#parts;
		await removeSession({ ...services, sessions, commands }, request, { sessionId, force });
	}

	/** History of one message with its decisions. Default: the last message. */
	async explain(principal: Principal, sessionId: string, runId?: string): Promise<Explanation> {
		using lease = await this.#parts.sessions.lease(principal, sessionId, "session.read");
		return explainRun(this.#parts.services, lease.session, runId);
	}

	/** Transcript as the model sees it, with summaries. */
	async transcript(principal: Principal, sessionId: string): Promise<readonly TimedMessage[]> {
		using lease = await this.#parts.sessions.lease(principal, sessionId, "session.read");
		return await readTranscript(this.#parts.services, lease.session);
	}

	/** Replaces the transcript by a summary. Undefined if there is nothing new. Refused while a run is open. */
	async compact(request: Keyed, sessionId: string, ending: Stoppable): Promise<Compacted | undefined> {
		this.#parts.admission.require();
		using lease = await this.#parts.sessions.lease(request.principal, sessionId, "session.write");
		return await this.#parts.runner.compact(lease.session, request, ending);
	}

	/**
	 * Starts to replace the transcript by a summary. The event `compaction.ended` reports the end. Refused while a run is open
	 * or waits, and while another compaction works.
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

	/** The permission of each tool that a run of this correlation would have in the session now. */
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

	/** Delivers every recorded event of a session, past and future: see `watchEvents`. Throws `not_found` as `follow` does. */
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
	 * Refuses new work, parks runs that wait for people, gives the others `graceMs`, then stops them. They continue at
	 * the next start.
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
