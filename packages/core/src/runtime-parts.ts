import { ParleyError, Redactor } from "@parley/base";
import { ClientTools } from "./agent/client-tools/client-tools.ts";
import type { Contexts } from "./agent/context/contexts.ts";
import { StoredApprovedTools } from "./agent/mcp/approved-tools.ts";
import { fixedSource, McpServers } from "./agent/mcp/mcp-servers.ts";
import { type ModelChoice, modelChoiceOf, resolveChoice } from "./agent/run/settings.ts";
import { Runner } from "./agent/runner.ts";
import { Skills } from "./agent/skills/skills.ts";
import { BackgroundCommands } from "./conversation/commands/background-commands.ts";
import { Observers } from "./conversation/observers.ts";
import { Prompts } from "./conversation/prompts.ts";
import { Sessions } from "./conversation/sessions.ts";
import { Workspaces } from "./conversation/workspaces.ts";
import { Files } from "./files/files.ts";
import { Memories } from "./memory/memories.ts";
import { type RuntimeOptions, runnerPortsOf, type Services, taskChoiceOf } from "./runtime-options.ts";
import type { Keyed } from "./store/idempotency.ts";
import { Journal } from "./store/journal.ts";
import type { TextRedactor } from "./text/session-redactor.ts";
import { Audit } from "./trust/audit/audit.ts";
import type { Places } from "./trust/places.ts";
import { choresOf, Housekeeping } from "./use-cases/housekeeping.ts";
import { SessionFeedback } from "./use-cases/messages/feedback.ts";
import { OpenPrompts } from "./use-cases/messages/open-prompts.ts";
import { Reminders } from "./use-cases/messages/reminders.ts";
import { type OptionRules, withSkill } from "./use-cases/messages/send.ts";
import type { SkillStart } from "./use-cases/schedules/fire.ts";
import { ScheduleClock } from "./use-cases/schedules/schedule-clock.ts";
import { Schedules } from "./use-cases/schedules/schedules.ts";
import { createSession, type NewSession, planOpening } from "./use-cases/sessions/open.ts";
import { EventHistory } from "./use-cases/sessions/read-events.ts";
import { Titles } from "./use-cases/sessions/titles.ts";
import { checkWorker } from "./use-cases/tasks/check-task.ts";
import { TaskRunner } from "./use-cases/tasks/task-runner.ts";
import { Tasks } from "./use-cases/tasks/tasks.ts";
import { Trust } from "./use-cases/trust/trust.ts";
import { authorize } from "./vocabulary/authorize.ts";

class Admission {
	#stopping = false;

	get stopping(): boolean {
		return this.#stopping;
	}

	stop(): void {
		this.#stopping = true;
	}

	/** Throws `unavailable` if `stop` was called. */
	require(): void {
		if (this.#stopping) throw new ParleyError("draining", { code: "unavailable" });
	}
}

export interface OpenedSession {
	readonly id: string;
	readonly status: "created" | "resumed";
}

interface RequestParts {
	readonly admission: Admission;
	readonly services: Services;
	readonly sessions: Sessions;
	readonly choice: ModelChoice;
	readonly observers: Observers;
	readonly history: EventHistory;
	readonly feedback: SessionFeedback;
	readonly prompts: OpenPrompts;
	readonly trust: Trust;
	readonly clientTools: ClientTools;
	readonly mcp: McpServers;
	readonly memories: Memories;
	readonly schedules: Schedules;
	readonly skills: Skills;
	readonly commands: BackgroundCommands;
	/** Creates a session, or finds a session by its external key. */
	open(request: Keyed, requested: NewSession): Promise<OpenedSession>;
}

/** Parts that also act without a request, for example on a schedule. */
interface WorkParts {
	readonly contexts: Contexts;
	readonly rules: OptionRules;
	readonly runner: Runner;
	readonly tasks: Tasks;
	readonly taskRunner: TaskRunner;
	readonly scheduleClock: ScheduleClock;
	readonly titles: Titles;
	readonly reminders: Reminders;
	readonly housekeeping: Housekeeping;
}

export type RuntimeParts = RequestParts & WorkParts;

export function createParts(options: RuntimeOptions): RuntimeParts {
	const requests = createRequestParts(options);
	const work = createWorkParts(options, requests);
	const { observers, trust } = requests;
	observers.addRecorded((event) => trust.grants.observe(event));
	if (options.titles) observers.add((event) => work.titles.observe(event));
	return { ...requests, ...work };
}

function createRequestParts(options: RuntimeOptions): RequestParts {
	const { redactor = new Redactor() } = options;
	const [admission, observers, choice] = [new Admission(), new Observers(), modelChoiceOf(options)];
	const { services, trust } = createServices(options, {
		redactor,
		observers,
		choice,
		sessions: () => sessions,
		stopping: () => admission.stopping,
	});
	const { journal, audit } = services;
	const sessions: Sessions = new Sessions(services);
	const lease = sessions.lease.bind(sessions);
	const open = openingOf(options, { admission, services, choice, trust });
	return {
		admission,
		services,
		sessions,
		choice,
		observers,
		trust,
		open,
		history: new EventHistory(journal, sessions),
		feedback: new SessionFeedback(services, sessions),
		prompts: new OpenPrompts(options, sessions, trust.places),
		memories: new Memories({ ...options, redactor, audit }),
		skills: new Skills({ ...options, audit, lease }),
		clientTools: new ClientTools({ ...options, redactor, lease }),
		mcp: new McpServers(options.mcp ?? noMcp, {
			...options,
			redactor,
			path: process.env["PATH"],
			approved: new StoredApprovedTools(options),
		}),
		schedules: new Schedules({ ...services, sessions, open, admit: () => admission.require() }),
		commands: new BackgroundCommands({ ...services, leaseOwn: sessions.leaseOwn.bind(sessions) }),
	};
}

function createWorkParts(options: RuntimeOptions, requests: RequestParts): WorkParts {
	const { admission, services, sessions, choice, trust, skills, open } = requests;
	const { files, workspaces } = services;
	const { places, checks, auditLog } = trust;
	// `tasks` is a function, because `work` is created below.
	const ports = runnerPortsOf(options, choice, { ...requests, places, tasks: () => work.runner });
	const rules: OptionRules = { ...ports, choice };
	const runner = new Runner(ports, (session) => sessions.release(session.id));
	const work = createTasks({ ...options.tasks, shared: options.shared ?? false }, choice, {
		services,
		sessions,
		runner,
		places,
		mcp: requests.mcp,
		admit: () => admission.require(),
	});
	const startSkill: SkillStart = async (session, principal, message, chosen) =>
		withSkill(session, chosen, await skills.startedBy(session, principal, message), rules);
	return {
		contexts: ports.contexts,
		rules,
		runner,
		tasks: work.tasks,
		taskRunner: work.runner,
		scheduleClock: new ScheduleClock({
			...services,
			sessions,
			open,
			withSkill: startSkill,
			checks,
			runner,
		}),
		titles: new Titles(sessions, { ...ports, model: options.model }),
		reminders: new Reminders(services, sessions),
		housekeeping: new Housekeeping(options, choresOf(options, { files, workspaces, auditLog })),
	};
}

interface OpeningParts {
	readonly admission: Admission;
	readonly services: Services;
	readonly choice: ModelChoice;
	readonly trust: Trust;
}

function openingOf(
	options: RuntimeOptions,
	{ admission, services, choice, trust }: OpeningParts,
): RequestParts["open"] {
	return async (request, requested) => {
		admission.require();
		authorize(request.principal, "session.open");
		const rules = { ...options, ...choice, places: trust.places };
		return createSession(services, request, await planOpening(request.principal, requested, rules));
	};
}

interface ServiceParts {
	readonly redactor: TextRedactor;
	readonly observers: Observers;
	readonly choice: ModelChoice;
	/** Returns the `Sessions` service, which is created after the parts of this interface. */
	readonly sessions: () => Sessions;
	readonly stopping: () => boolean;
}

function createServices(
	options: RuntimeOptions,
	{ redactor, observers, choice, sessions, stopping }: ServiceParts,
): { readonly services: Services; readonly trust: Trust } {
	const { clock, ids, log, failpoints, secrets } = options;
	const journal = new Journal(options);
	const audit = new Audit({ ...options, redactor });
	const prompts = new Prompts({
		clock,
		ids,
		audit,
		secrets,
		onDenied: (tx, place) => trust.grants.denied(tx, place),
	});
	const trust = new Trust({
		...options,
		audit,
		journal,
		prompts,
		sessions,
		checkModel: async (agent, model) => {
			await resolveChoice({ profile: agent }, model, choice);
		},
	});
	const { policies, grants, people } = trust;
	const services: Services = {
		clock,
		ids,
		log,
		failpoints,
		secrets,
		redactor,
		policies,
		grants,
		people,
		journal,
		audit,
		prompts,
		observers,
		stopping,
		files: new Files(options),
		workspaces: new Workspaces(options.roots.dataDir),
		startedAt: clock.now(),
		fingerprint: (text) => secrets.fingerprint(text),
	};
	return { services, trust };
}

const noMcp = { source: fixedSource([]), version: "" };

/** Default maximum number of active tasks. */
const usualLimit = 4;

interface TaskParts {
	readonly services: Services;
	readonly sessions: Sessions;
	readonly runner: Runner;
	readonly places: Places;
	readonly mcp: McpServers;
	readonly admit: () => void;
}

function createTasks(
	{ limit = usualLimit, shared = false }: { readonly limit?: number; readonly shared?: boolean },
	models: ModelChoice,
	{ services, sessions, runner, places, mcp, admit }: TaskParts,
): { readonly tasks: Tasks; readonly runner: TaskRunner } {
	const choice = taskChoiceOf(models, places, mcp);
	const check = (row: Parameters<typeof checkWorker>[0], requested: Parameters<typeof checkWorker>[1]) =>
		checkWorker(row, requested, choice);
	const taskRunner = new TaskRunner({ ...services, sessions, runner, limit, alone: !shared, check });
	return {
		tasks: new Tasks({ ...services, sessions, runner: taskRunner, choice, admit }),
		runner: taskRunner,
	};
}
