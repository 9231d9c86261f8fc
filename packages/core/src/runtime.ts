import { ParleyError, Redactor } from "@parley/base";
import { ClientTools } from "./agent/client-tools/client-tools.ts";
import type { Stoppable } from "./agent/compact-session.ts";
import type { EstimateError } from "./agent/context/calibration.ts";
import type { Contexts } from "./agent/context/contexts.ts";
import type { Compacted } from "./agent/context/fit-request.ts";
import type { ProviderState } from "./agent/run/provider-health.ts";
import { type ModelChoice, modelChoiceOf, resolveChoice, resolveModel } from "./agent/run/settings.ts";
import { drain, Runner, resumeUnfinished } from "./agent/runner.ts";
import { Skills } from "./agent/skills/skills.ts";
import { Observers } from "./conversation/observers.ts";
import type { Services } from "./conversation/services.ts";
import { Sessions } from "./conversation/sessions.ts";
import type { Files } from "./files/files.ts";
import { Memories } from "./memory/memories.ts";
import type { ModelInfo } from "./models/table/model-table.ts";
import { defaultProfile, type Profiles } from "./policy/profiles/profile.ts";
import { type RuntimeOptions, runDepsOf } from "./runtime-options.ts";
import { createServices } from "./runtime-services.ts";
import type { Keyed } from "./store/idempotency.ts";
import { readUsage, type UsageFilter, type UsageReport } from "./usage/read-usage.ts";
import type { BudgetChange } from "./usage/set-budget.ts";
import { choresOf, Housekeeping } from "./use-cases/housekeeping.ts";
import { acceptAll } from "./use-cases/messages/accept-all.ts";
import { answerQuestion } from "./use-cases/messages/answer.ts";
import { type Cancelled, type Ending, stopTurn } from "./use-cases/messages/cancel.ts";
import { chooseOptions, type OptionRules, withSkill } from "./use-cases/messages/choose-options.ts";
import { type Explanation, explainRun } from "./use-cases/messages/explain.ts";
import { SessionFeedback } from "./use-cases/messages/feedback.ts";
import { OpenPrompts } from "./use-cases/messages/open-prompts.ts";
import { Reminders } from "./use-cases/messages/reminders.ts";
import { lastOptions, retryLast } from "./use-cases/messages/retry.ts";
import { type Accepted, acceptMessage, type NewMessage } from "./use-cases/messages/send.ts";
import { type Steered, steer } from "./use-cases/messages/steer.ts";
import type { SkillStart } from "./use-cases/schedules/fire.ts";
import { ScheduleClock } from "./use-cases/schedules/schedule-clock.ts";
import { Schedules } from "./use-cases/schedules/schedules.ts";
import { Follower, type Following } from "./use-cases/sessions/follow.ts";
import { listSessions, type SessionFilter, type SessionSummary } from "./use-cases/sessions/list.ts";
import { createSession, type NewSession, planOpening } from "./use-cases/sessions/open.ts";
import { EventHistory } from "./use-cases/sessions/read-events.ts";
import { readTranscript, type TimedMessage } from "./use-cases/sessions/read-transcript.ts";
import { removeSession } from "./use-cases/sessions/remove.ts";
import { renameSession } from "./use-cases/sessions/rename.ts";
import { setBudget } from "./use-cases/sessions/set-budget.ts";
import { setModel } from "./use-cases/sessions/set-model.ts";
import { Titles } from "./use-cases/sessions/titles.ts";
import { type ToolPermission, toolPermissions } from "./use-cases/sessions/tool-permissions.ts";
import { watchEvents } from "./use-cases/sessions/watch-events.ts";
import { createTasks } from "./use-cases/tasks/create-tasks.ts";
import type { TaskRunner } from "./use-cases/tasks/task-runner.ts";
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
	/** Open questions. */
	readonly prompts: OpenPrompts;
	/** Tokens, people, channels, rules and the audit. */
	readonly trust: Trust;
	/** Tools that clients run. */
	readonly clientTools: ClientTools;
	/** Notes about people, about channels, and shared ones. */
	readonly memories: Memories;
	/** Messages that are sent to sessions at given times. */
	readonly schedules: Schedules;
	/** Instructions for kinds of work, in files of the operator and of working directories. */
	readonly skills: Skills;
	/** Work in the background. */
	readonly tasks: Tasks;
	readonly #taskRunner: TaskRunner;
	readonly #options: RuntimeOptions;
	readonly #deps: Services;
	readonly #sessions: Sessions;
	readonly #choice: ModelChoice;
	readonly #contexts: Contexts;
	readonly #rules: OptionRules;
	readonly #runner: Runner;
	readonly #observers = new Observers();
	#draining = false;
	readonly #housekeeping: Housekeeping;
	readonly #scheduleClock: ScheduleClock;
	readonly #titles: Titles;
	readonly #reminders: Reminders;

	constructor(options: RuntimeOptions) {
		const { redactor = new Redactor() } = options;
		this.#choice = modelChoiceOf(options);
		this.#options = options;
		const { services, trust } = createServices(options, {
			redactor,
			observers: this.#observers,
			choice: this.#choice,
			sessions: () => this.#sessions,
			stopping: () => this.#draining,
		});
		this.#deps = services;
		this.trust = trust;
		const { files, audit, workspaces } = services;
		this.files = files;
		this.memories = new Memories({ ...options, redactor, audit });
		this.#sessions = new Sessions(this.#deps);
		this.#reminders = new Reminders(this.#deps, this.#sessions);
		this.history = new EventHistory(services.journal, this.#sessions);
		this.feedback = new SessionFeedback(this.#deps, this.#sessions);
		this.prompts = new OpenPrompts(options, this.#sessions, this.trust.places);
		const lease = this.#sessions.lease.bind(this.#sessions);
		this.skills = new Skills({ ...options, audit, lease });
		this.clientTools = new ClientTools({ ...options, redactor, lease });
		const open = this.create.bind(this);
		const scheduling = { deps: this.#deps, sessions: this.#sessions, open };
		this.schedules = new Schedules({ ...scheduling, admit: () => this.#admit() });
		const { clientTools, memories, skills, schedules } = this;
		const { places, checks, auditLog } = trust;
		const tasks = (): TaskRunner => this.#taskRunner;
		this.#housekeeping = new Housekeeping(options, choresOf(options, { files, workspaces, auditLog }));
		const offering = { services, places, clientTools, memories, skills, schedules, tasks };
		const runDeps = runDepsOf(options, this.#choice, offering);
		this.#contexts = runDeps.contexts;
		this.#rules = { ...runDeps, choice: this.#choice };
		this.#runner = new Runner(runDeps, (session) => this.#sessions.release(session.id));
		const startSkill: SkillStart = async (session, principal, message, chosen) => {
			const skill = await skills.startedBy(session, principal, message);
			return withSkill(session, chosen, skill, this.#rules);
		};
		this.#scheduleClock = new ScheduleClock({
			...scheduling,
			withSkill: startSkill,
			checks,
			runner: this.#runner,
		});
		const sharing = { ...options.tasks, shared: options.shared ?? false };
		({ tasks: this.tasks, runner: this.#taskRunner } = createTasks(sharing, this.#choice, {
			deps: services,
			sessions: this.#sessions,
			runner: this.#runner,
			places,
			admit: () => this.#admit(),
		}));
		this.#titles = new Titles(this.#deps, this.#sessions, { ...runDeps, model: options.model });
		this.#observers.addRecorded((event) => this.trust.grants.observe(event));
		if (options.titles) this.#observers.add((event) => this.#titles.observe(event));
	}

	/** The name of the model that answers. */
	get model(): string {
		const choice = { ...this.#choice, anyModel: true };
		return resolveModel(choice.modelName ?? choice.model.defaultModel, choice);
	}

	/** Number of sessions in use: a client has joined them, or a run works. */
	get loaded(): number {
		return this.#sessions.size;
	}

	/** Continues unfinished work. Returns the number of sessions that had some. */
	async start(): Promise<number> {
		await this.trust.load();
		await this.#housekeeping.begin();
		this.#reminders.start();
		const resumed = await resumeUnfinished(this.#deps, this.#sessions, this.#runner);
		await this.#taskRunner.start();
		this.#scheduleClock.start();
		return resumed;
	}

	/** Creates a session, or finds it by its external key. The id is not joined yet: see `follow`. */
	async create(request: Keyed, wanted: NewSession): Promise<{ id: string; status: "created" | "resumed" }> {
		this.#admit();
		authorize(request.principal, "session.open");
		const rules = { ...this.#options, ...this.#choice, places: this.trust.places };
		return createSession(this.#deps, request, await planOpening(request.principal, wanted, rules));
	}

	/** Passes, or throws what doing this to the session would. */
	async check(principal: Principal, sessionId: string, action: Action): Promise<void> {
		(await this.#sessions.lease(principal, sessionId, action))[Symbol.dispose]();
	}

	/** Joins a client to a session. The returned follower starts the delivery. */
	async follow(principal: Principal, sessionId: string, following: Following): Promise<Follower> {
		return Follower.join(
			this.#deps.journal,
			await this.#sessions.lease(principal, sessionId, "session.read"),
			following,
		);
	}

	/**
	 * Accepts a message and starts its run where nothing is in its way. The options hold for this run alone, also after a
	 * restart. Throws `invalid_argument` for an option that is not possible, and `permission_denied` for one that the
	 * principal may not choose.
	 */
	async send(
		request: Keyed,
		sessionId: string,
		message: NewMessage,
		options: RunOptions = {},
	): Promise<Accepted> {
		this.#admit();
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.write");
		if (configuresSession(options)) await this.check(request.principal, sessionId, "session.configure");
		const { session } = lease;
		const chosen = await chooseOptions(request.principal, session, options, this.#rules);
		// In few turns of the event loop: a cancel that follows in the same turn must find the message.
		const skill = await this.skills.startedBy(session, request.principal, message);
		const asked = { ...message, options: await withSkill(session, chosen, skill, this.#rules) };
		const { accepted, start } = await acceptMessage(this.#deps, session, request, asked);
		this.#runner.start(session, start);
		return accepted;
	}

	/** Adds a message to the active run before its next model call. Without one, like `send`. */
	async steer(request: Keyed, sessionId: string, message: NewMessage): Promise<Steered> {
		this.#admit();
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.write");
		const skill = await this.skills.startedBy(lease.session, request.principal, message);
		// A skill has a run of its own, with its own tools and model.
		if (skill) return { status: "sent", ...(await this.send(request, sessionId, message)) };
		const { steered, start } = await steer(this.#deps, lease.session, request, message);
		this.#runner.start(lease.session, start);
		return steered;
	}

	/** Makes the last reply again. */
	async retry(request: Keyed, sessionId: string): Promise<Accepted> {
		this.#admit();
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.write");
		await this.skills.checkAgain(lease.session, await lastOptions(this.#options.store, sessionId));
		const { accepted, start } = await retryLast(this.#deps, lease.session, request);
		this.#runner.start(lease.session, start);
		return accepted;
	}

	/**
	 * Chooses the model of the session's next runs by name or tier and returns its real name; `default` leaves it to the
	 * profile and the gateway. A run at work keeps its own.
	 */
	async setModel(request: Keyed, sessionId: string, wanted: string): Promise<{ readonly model: string }> {
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.configure");
		return setModel(this.#deps, lease.session, request, resolveChoice(lease.session, wanted, this.#choice));
	}

	/** The real name of the model of a new session. Throws `invalid_argument` for an unknown one. */
	async modelOf(principal: Principal, wanted: { profile?: string; model?: string }): Promise<string> {
		authorize(principal, "model.read");
		const { profile = defaultProfile, model = "default" } = wanted;
		return (await resolveChoice({ profile }, model, this.#choice)).model;
	}

	/** Agent profiles, and what is wrong with those that cannot be used. */
	async agents(principal: Principal): ReturnType<Profiles["list"]> {
		authorize(principal, "agents.read");
		return this.#choice.profiles.list();
	}

	/** The models of the gateway's provider that are known by name. */
	models(principal: Principal): readonly ModelInfo[] {
		authorize(principal, "model.read");
		return this.#choice.table.list(this.#choice.model.provider);
	}

	/** Usage and budgets. Without a session: of all sessions, for principals that may see all. */
	async usage(principal: Principal, filter: UsageFilter): Promise<UsageReport> {
		const { store, clock, budgets = noBudgets } = this.#options;
		if (filter.sessionId === undefined) authorize(principal, "usage.read", { owner: "" });
		else await this.check(principal, filter.sessionId, "usage.read");
		return readUsage(store, filter, clock.now(), budgets);
	}

	/** How the providers of models have answered so far; `since` is in milliseconds since the epoch. */
	health(principal: Principal): { readonly providers: readonly ProviderState[] } {
		authorize(principal, "health.read");
		return { providers: this.#runner.providers };
	}

	/** How far the estimates of token counts were off, by `provider/model`: a metric of the gateway. */
	estimateErrors(principal: Principal): ReadonlyMap<string, EstimateError> {
		authorize(principal, "usage.read", { owner: "" });
		return this.#contexts.errors();
	}

	/** Sets a budget at run time: from then on it holds instead of the configured one. */
	async setBudget(request: Keyed, change: BudgetChange): Promise<void> {
		await setBudget(this.#deps, this.#sessions, request, change);
	}

	/** Answers an open question. The first answer wins; a later one changes nothing, and is false. */
	async answer(request: Keyed, token: string, response: PromptResponse): Promise<boolean> {
		const { places } = this.trust;
		return answerQuestion({ ...this.#deps, sessions: this.#sessions, places }, request, token, response);
	}

	/** Approves all tool calls of a session from now on, but for the always-ask floor. */
	async acceptAll(request: Keyed, sessionId: string): Promise<void> {
		await acceptAll({ ...this.#deps, sessions: this.#sessions }, request, sessionId);
	}

	/** Ends the active run, or what else is meant, and what the channel is trusted with. */
	async cancel(request: Keyed, sessionId: string, ending: Ending = {}): Promise<Cancelled> {
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.write");
		return stopTurn(this.#deps, lease.session, request, ending);
	}

	/** The sessions that the principal may see, newest first. */
	async list(principal: Principal, filter: SessionFilter): Promise<SessionSummary[]> {
		return listSessions(this.#options.store, principal, filter);
	}

	/** Gives a session the title that a person wants; an empty one lets a model choose again. */
	async rename(request: Keyed, sessionId: string, title: string): Promise<string> {
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.configure");
		return await renameSession(this.#deps, lease.session, request, title);
	}

	/** Deletes a session with everything that belongs to it; while something runs or waits there only by force. */
	async remove(request: Keyed, sessionId: string, force: boolean): Promise<void> {
		this.#admit();
		await removeSession({ ...this.#deps, sessions: this.#sessions }, request, { sessionId, force });
	}

	/** History of one message with its decisions. Default: the last message. */
	async explain(principal: Principal, sessionId: string, runId?: string): Promise<Explanation> {
		using lease = await this.#sessions.lease(principal, sessionId, "session.read");
		return explainRun(this.#deps, lease.session, runId);
	}

	/** Transcript as the model sees it, with summaries. */
	async transcript(principal: Principal, sessionId: string): Promise<readonly TimedMessage[]> {
		using lease = await this.#sessions.lease(principal, sessionId, "session.read");
		return await readTranscript(this.#deps, lease.session);
	}

	/** Replaces the transcript by a summary. Undefined if there is nothing new. Refused while a run is open. */
	async compact(request: Keyed, sessionId: string, ending: Stoppable): Promise<Compacted | undefined> {
		this.#admit();
		using lease = await this.#sessions.lease(request.principal, sessionId, "session.write");
		return await this.#runner.compact(lease.session, request, ending);
	}

	/** The permission of each tool that a run of this correlation would have in the session now. */
	async toolPermissions(
		principal: Principal,
		sessionId: string,
		correlation?: string,
	): Promise<readonly ToolPermission[]> {
		using lease = await this.#sessions.lease(principal, sessionId, "session.read");
		const { session } = lease;
		const { tools } = await this.#rules.settings(session, undefined, correlation);
		return toolPermissions(session, this.trust.policies.of(session), tools);
	}

	/** Delivers every recorded event of a session, past and future: see `watchEvents`. Throws `not_found` as `follow` does. */
	async watch(
		principal: Principal,
		sessionId: string,
		deliver: (event: Recorded) => void,
	): Promise<() => void> {
		using lease = await this.#sessions.lease(principal, sessionId, "event.read");
		return await watchEvents(lease.session.id, {
			journal: this.#deps.journal,
			deliver,
			observe: (observer) => this.observe(principal, observer),
		});
	}

	/** Delivers events of all sessions that the principal may see, until the returned function is called. */
	observe(principal: Principal, observer: (event: SessionEvent) => void): () => void {
		return this.#observers.addFor(principal, observer);
	}

	/**
	 * Accepts no more work, parks runs that wait for people, gives the others `graceMs`, then stops them. They continue at
	 * the next start.
	 */
	async drain(graceMs: number): Promise<void> {
		this.#draining = true;
		this.#housekeeping.stop();
		this.#runner.stop();
		const tasks = this.#taskRunner.stop();
		await this.#scheduleClock.stop();
		await drain(this.#sessions.loaded(), graceMs, this.#options.clock);
		await Promise.all([tasks, this.#titles.stop(), this.#reminders.stop(), this.trust.stop()]);
	}

	#admit(): void {
		if (this.#draining) throw new ParleyError("draining", { code: "unavailable" });
	}
}
