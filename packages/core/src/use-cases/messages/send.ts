import { type Clock, defined, type Failpoints, type Ids, type Logger, ParleyError } from "@parley/base";
import type { ChooseSettings } from "../../agent/run/run.ts";
import { type ModelChoice, realName } from "../../agent/run/settings.ts";
import type { WorkspacePorts } from "../../agent/run/workspace.ts";
import { toolsOfSkill, workflowOf } from "../../agent/skills/skill-tools.ts";
import type { RecordEvents } from "../../conversation/commit.ts";
import { queueLimit, type RunRow } from "../../conversation/queue.ts";
import type { Session } from "../../conversation/session.ts";
import { attachFiles } from "../../files/file-rows.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { addTaint, taintOfMessage } from "../../store/session-taint.ts";
import { countRuns, insertRun, insertStep } from "../../store/statements.ts";
import type { Author } from "../../vocabulary/event.ts";
import type { ImageBlock } from "../../vocabulary/message.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import {
	checkOptions,
	checkTools,
	isWithoutGrants,
	optionsThrough,
	type RunOptions,
} from "../../vocabulary/run-options.ts";
import type { Invocation, UsedSkill } from "../../vocabulary/skill.ts";
import type { FileFacts } from "../../vocabulary/stored-file.ts";
import type { Taint } from "../../vocabulary/taint.ts";
import type { RunMessage } from "../../vocabulary/transcript.ts";
import {
	type ClassifiedContext,
	type ReadContext,
	recordRead,
	selectContext,
	taintOfContext,
} from "./select-context.ts";
import { storable } from "./storable.ts";
import { queueTexts } from "./texts.ts";

/**
 * Accepted message. `queuedPosition` is the number of runs before the message's run, including the active
 * run. 0 means that `runId` is active.
 */
export interface Accepted {
	readonly runId: string;
	readonly queuedPosition: number;
}

export interface AcceptPorts extends KeyServices {
	readonly ids: Ids;
	readonly log: Logger;
	readonly failpoints: Failpoints;
}

/**
 * Accepts a message. Before the promise resolves, the message is durable and `user.message` has been emitted. `start`
 * is the run to start if no other run is active or queued. A repeated request has no `start`. Throws
 * `resource_exhausted` if the queue is full.
 */
export async function acceptMessage(
	services: AcceptPorts,
	session: Session,
	request: Keyed,
	message: NewMessage & {
		readonly options?: RunOptions;
		readonly scheduled?: Scheduled;
		readonly read?: ClassifiedContext | undefined;
		/** Error to throw if a run is active or queued. Absent: the message is queued. */
		readonly busy?: ParleyError;
	},
): Promise<{ readonly accepted: Accepted; readonly start: RunRow | undefined }> {
	const trusted = session.trusted;
	let queued: Queued | undefined;
	const outcome = await session.commit((tx, record) =>
		once(tx, request, services, async () => {
			const { images = [], correlation, scheduled } = message;
			const options = optionsThrough(request.principal, message.options);
			const content = storable(session.redactor.redactKnown(message.content));
			const author = authorOf(request.principal, message);
			const { person: actor } = request.principal;
			const attached = await attach(tx, session.id, services.clock.now(), { request, message });
			const context = message.read && (await selectContext(tx, session, message.read));
			const newRun = {
				content,
				images,
				retryOf: undefined,
				correlation,
				options,
				...attached,
				...defined({ actor, context: context?.context }),
			};
			queued = await enqueue(services, tx, session, { ...newRun, trusted });
			if (message.busy && queued.position > 0) throw message.busy;
			const runId = queued.run.id;
			await addTaint(tx, session.id, taintOfMessage(request.principal, author));
			if (context) await recordRead(tx, session.id, runId, context.read);
			if (context) await addTaint(tx, session.id, taintOfContext(context.context));
			if (scheduled) await addTaint(tx, session.id, scheduled.taint);
			await scheduled?.fire(tx, record, queued);
			const named = {
				...defined({ correlation, author, origin: options.origin }),
			};
			await record({ type: "user.message", runId, content, ...named, ...attached });
			return { runId, queuedPosition: queued.position };
		}),
	);
	if (queued?.run.options.afterCrash === "cancel") session.startedHere.add(queued.run.id);
	await services.failpoints.reach("accepted");
	if (queued) logAccepted(services.log, session.id, request, queued);
	const start = !outcome.repeated && queued?.position === 0 ? queued.run : undefined;
	return { accepted: outcome.response, start };
}

/** Returns the author of a message. If a connector acts for a person, the author is always that person. */
export function authorOf({ person }: Principal, { author }: NewMessage): Author | undefined {
	return person ? { id: person.id, name: person.name } : author;
}

async function attach(
	tx: Tx,
	sessionId: string,
	now: number,
	{ request, message }: { readonly request: Keyed; readonly message: NewMessage },
): Promise<{ readonly attachments?: readonly FileFacts[] }> {
	const { attachments: ids = [] } = message;
	if (ids.length === 0) return {};
	// Files taint the session, because their authors are unknown.
	await addTaint(tx, sessionId, "U");
	const { principal } = request;
	return { attachments: await attachFiles(tx, { principal, sessionId, ids, now }) };
}

export interface NewMessage {
	readonly content: string;
	readonly images?: readonly ImageBlock[];
	readonly author?: Author;
	/** Ids of stored files in the message. */
	readonly attachments?: readonly string[];
	/** Channel messages that the client has read for this message. */
	readonly context?: ReadContext;
	/** Id that the client gave the message, for log lines and feedback. Default in log lines: the run's id. */
	readonly correlation?: string;
	/**
	 * Skill that the message starts. Only for clients that name the skill separately. Other clients write `/name` at the
	 * beginning of the content.
	 */
	readonly skill?: Invocation;
}

/** Additional writes of a schedule in the transaction of its message. */
interface Scheduled {
	readonly taint: Taint;
	/** Records the firing. Throws if the schedule cannot fire; the message is then not stored. */
	readonly fire: (tx: Tx, record: RecordEvents, queued: Queued) => Promise<void>;
}

/** A stored run with its position in the queue. */
export interface Queued {
	readonly run: RunRow;
	/** Number of open runs before this run. If it is 0, this run is the active run. */
	readonly position: number;
}

/** A message in stored form. `correlation` is the client's id of the message. */
export interface NewRun extends RunMessage {
	readonly correlation?: string | undefined;
	readonly options?: RunOptions | undefined;
	/** Whether the session is currently trusted. */
	readonly trusted: boolean;
}

/** Logs an accepted message with its principal and size, but without its text. */
export function logAccepted(
	log: Logger,
	sessionId: string,
	{ principal, method }: Keyed,
	{ run, position }: Queued,
): void {
	const { id: runId, correlation, content } = run;
	const bytes = Buffer.byteLength(content);
	log.info(queueTexts.accepted, {
		correlation,
		sessionId,
		runId,
		method,
		principal: actingId(principal),
		position,
		bytes,
	});
}

/**
 * Stores the run: active if the session has no open run, otherwise queued. Throws `resource_exhausted` if the queue is
 * full.
 */
export async function enqueue(
	{ clock, ids }: { readonly clock: Clock; readonly ids: Ids },
	tx: Tx,
	session: Session,
	{ trusted, ...newRun }: NewRun,
): Promise<Queued> {
	const [counts] = await countRuns(tx, { sessionId: session.id });
	const position = Number(counts?.open ?? 0);
	if (position > queueLimit) {
		throw new ParleyError(queueTexts.busy(queueLimit), {
			code: "resource_exhausted",
		});
	}
	const at = clock.now();
	const id = ids.create("run");
	const ordinal = Number(counts?.ordinal ?? 0) + 1;
	const active = position === 0;
	const { content, images, retryOf, attachments, context, options = {} } = newRun;
	const acceptAll = active && trusted && !isWithoutGrants(options);
	await insertRun(tx, {
		id,
		sessionId: session.id,
		ordinal,
		content,
		at,
		retryOf: retryOf ?? null,
		images: images.length > 0 ? JSON.stringify(images) : null,
		attachments: attachments ? JSON.stringify(attachments) : null,
		correlation: newRun.correlation ?? null,
		actor: newRun.actor ? JSON.stringify(newRun.actor) : null,
		options: Object.keys(options).length > 0 ? JSON.stringify(options) : null,
		context: context ? JSON.stringify(context) : null,
		state: active ? "active" : "queued",
		acceptAll: acceptAll ? 1 : 0,
	});
	if (active) await insertStep(tx, { runId: id, n: 0, at, data: JSON.stringify({ kind: "call" }) });
	const correlation = newRun.correlation ?? id;
	return {
		run: { ...newRun, id, options, acceptAll, cancelRequested: false, ordinal, correlation },
		position,
	};
}

/** Model choice and settings with which the options of a run are checked. */
export interface OptionRules {
	readonly choice: ModelChoice;
	readonly settings: ChooseSettings;
	readonly profileOf: WorkspacePorts["profileOf"];
}

/**
 * Adds the skill that a message starts to the options of the message's run. Without a skill, returns `options` unchanged.
 * The skill only narrows the tools. The skill's model needs no permission, because the operator wrote or trusted the
 * skill. A model in `options` has precedence.
 */
export async function withSkill(
	session: Session,
	options: RunOptions,
	skill: UsedSkill | undefined,
	{ choice, settings }: OptionRules,
): Promise<RunOptions> {
	if (!skill) return options;
	const { agent = session.profile } = options;
	const model = options.model ?? (skill.model && (await realName(agent, skill.model, choice)));
	const { tools: has } = await settings(session, { agent });
	const own = skill.tools && toolsOfSkill(skill, skill.tools, has);
	const tools =
		own && options.tools ? own.filter((name) => options.tools?.includes(name)) : (own ?? options.tools);
	const workflow = workflowOf(skill, has);
	return {
		...options,
		...defined({ workflow, skill: workflow ? undefined : skill, model, tools }),
	};
}

/**
 * Returns the options of a run in stored form: checked, with the full name of the model, and without known secrets
 * in the system prompt. Throws `invalid_argument` for an invalid option or an unknown agent. Throws
 * `permission_denied` if a chat user sets a system prompt, or if the operator chose another agent for the channel.
 */
export async function chooseOptions(
	{ person }: Principal,
	session: Session,
	options: RunOptions,
	{ choice, settings, profileOf }: OptionRules,
): Promise<RunOptions> {
	if (Object.keys(options).length === 0) return options;
	checkOptions(options);
	const { agent = session.profile, tools, model, system } = options;
	if (system && person) {
		const message = queueTexts.noSystemPrompt(person.id);
		throw new ParleyError(message, { code: "permission_denied" });
	}
	if (options.agent !== undefined) {
		await choice.profiles.find(agent);
		refuseOther(agent, profileOf(session).agent);
	}
	if (tools) checkTools(tools, (await settings(session, { agent })).tools);
	return {
		...options,
		...defined({
			model: model === undefined ? undefined : await realName(agent, model, choice),
			system: system && { ...system, text: session.redactor.redactKnown(system.text) },
		}),
	};
}

function refuseOther(agent: string, pinned: string | undefined): void {
	if (pinned === undefined || pinned === agent) return;
	const message = queueTexts.pinnedAgent(agent, pinned);
	throw new ParleyError(message, { code: "permission_denied" });
}
