import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { defined, ParleyError } from "@parley/base";
import type { BackgroundCommands } from "../../conversation/commands/background-commands.ts";
import { newestTodo } from "../../conversation/newest-todo.ts";
import type { Session } from "../../conversation/session.ts";
import type { Files } from "../../files/files.ts";
import { openRegular, readChunks, refuseForbiddenHardLink } from "../../filesystem/regular-file.ts";
import type { Memories } from "../../memory/memories.ts";
import { markInformed } from "../../store/command-rows.ts";
import { findTaint } from "../../store/session-taint.ts";
import type { People } from "../../trust/people/people.ts";
import type { BackgroundAccess, BackgroundCommand } from "../../vocabulary/commands/background-command.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";
import type { Sandbox, Sandboxes } from "../../vocabulary/sandbox.ts";
import {
	checkScheduleTexts,
	type ScheduleAccess,
	scheduleLimits,
	unknownSchedule,
} from "../../vocabulary/schedule.ts";
import type { SecretBox } from "../../vocabulary/secrets.ts";
import { exactSizeOf, type FileFacts, publicFileFacts } from "../../vocabulary/stored-file.ts";
import { type PlanStep, progressOf, type TaskProgress } from "../../vocabulary/task.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { memoryAccessOf } from "../replies/memories-of-run.ts";
import { type Run, type RunSchedules, runParticipants } from "../run/run.ts";
import { startSkillOfCall } from "../run/skills-of-run.ts";
import { type Workspace, type WorkspacePorts, workspaceOf } from "../run/workspace.ts";
import type { Skills } from "../skills/skills.ts";
import { runWorkflow } from "../workflow/run-workflow.ts";
import { delegationOf } from "../workflow/sub-agents.ts";
import type { WorkflowPorts } from "../workflow/workflow-ports.ts";
import { elicit, type QuestionPorts } from "./ask-person.ts";
import { changeRecorderOf, undoAccessOf } from "./file-changes.ts";
import { replyForTool } from "./reply-for-tool.ts";
import { callTexts } from "./texts.ts";

interface ToolPorts extends QuestionPorts, WorkspacePorts, SchedulePorts, WorkflowPorts {
	/** Returns the directories that the tools of a session may use. The first directory is the working directory. */
	readonly roots: (session: Session) => readonly string[];
	/** Paths that no tool may use: see `ToolContext.forbidden`. */
	readonly forbidden: readonly string[];
	readonly sandbox: Sandboxes;
	readonly files: Files;
	readonly memories: Memories;
	readonly commands: BackgroundCommands;
	/** Encrypts and decrypts the earlier content of changed files. */
	readonly secrets: SecretBox;
}

export type ContextOf = (run: Run, call: CallBlock) => Promise<ToolContext>;

export function contextsOf(ports: ToolPorts): ContextOf {
	return (run, call) => contextOf(run, call, ports);
}

async function contextOf(run: Run, call: CallBlock, ports: ToolPorts): Promise<ToolContext> {
	const { session } = run;
	const { task } = session;
	const roots = ports.roots(session);
	const workspace = workspaceOf(session, ports);
	const { readable } = ports.skills;
	const shown = readable.length > 0 && { readable };
	// Scheduled runs use the same sandbox as chat runs, because the person who could stop a scheduled run may be absent.
	const chat = session.place !== undefined || run.scheduled;
	const sandbox = await ports.sandbox.of({ chat, roots, ...shown });
	const taskAccess = task?.access({ session, park: () => run.control.park() }, call.id);
	return {
		sessionId: run.session.id,
		callId: call.id,
		roots,
		cwd: run.session.rootDir,
		forbidden: ports.forbidden,
		workspace: workspace?.path,
		...shown,
		sandbox: workspace ? withinQuota(sandbox, workspace) : sandbox,
		signal: run.control.signal,
		clock: run.clock,
		log: run.log,
		// Planning a call reports no progress. `callTool` replaces this function.
		progress: () => undefined,
		ask: questionsOf(run, call, ports),
		redact: (text) => run.session.redactor.into("question").redact(text),
		reply: (request, withdrawn) => replyForTool(run, request, { ...ports, withdrawn }),
		openOutput: (name) => ports.files.openOutput(name, run.session.id),
		share: (path, name) => shareFile(run, call, { path, name }, ports),
		todo: (steps) => (taskAccess ? taskAccess.plan(steps) : writeTodo(run, call.id, steps)),
		workflow: (started) => runWorkflow(run, { ...started, callId: call.id }, ports),
		delegation: delegationOf(run, call.id, ports),
		background: backgroundOf(run, call, ports.commands),
		changes: changeRecorderOf(run, ports.secrets),
		memories: memoryAccessOf(run, call.id, ports.memories),
		schedules: scheduleAccessOf(run, call.id, ports),
		skill: (invocation) => startSkillOfCall(run, call.id, invocation, ports.skills),
		...defined({ task: taskAccess, undo: undoAccessOf(run, call, ports.secrets) }),
	};
}

function questionsOf(run: Run, { id }: CallBlock, ports: QuestionPorts): ToolContext["ask"] {
	let isRepeated = false;
	return (question, withdrawn) => {
		const call = { id, isRepeated, withdrawn };
		isRepeated = true;
		return elicit(run, call, question, ports);
	};
}

function backgroundOf(run: Run, call: CallBlock, commands: BackgroundCommands): BackgroundAccess {
	const { session, id: runId } = run;
	const check = (): void => {
		// A task cannot start a command, because the session of a task ends with the task.
		if (session.taskId !== undefined) {
			throw new ParleyError(callTexts.backgroundInTask, {
				code: "failed_precondition",
			});
		}
		commands.check(session.id);
	};
	// The result of the call already reports the end of the command, so the next run must not report that end again.
	const informed = async (command: BackgroundCommand): Promise<void> => {
		if (command.ending !== undefined) await run.commit(({ tx }) => markInformed(tx, session.id, [command]));
	};
	return {
		check,
		async start(command, start) {
			check();
			return commands.start({ session, runId, callId: call.id }, command, start);
		},
		async output(n, waitMs) {
			const output = await commands.output(session.id, n, { waitMs, signal: run.control.signal });
			await informed(output.command);
			return output;
		},
		async stop(n) {
			const stopped = await commands.stop(session.id, n);
			await informed(stopped);
			return stopped;
		},
	};
}

/**
 * Returns a sandbox in which a command can write no file larger than the free space of the workspace. Several files
 * together can still exceed the quota. If the workspace is full after a command, the output of the command states this.
 * Commands that only read are unchanged.
 */
export function withinQuota(sandbox: Sandbox, workspace: Workspace): Sandbox {
	const { network, egress } = sandbox;
	const bounded: Sandbox = {
		...sandbox,
		network: network && network !== sandbox ? withinQuota(network, workspace) : undefined,
		...defined({ egress: egress && withinQuota(egress, workspace) }),
		async run(command) {
			if (command.power === "read") return sandbox.run(command);
			const outcome = await sandbox.run({ ...command, maxFileBytes: await workspace.room() });
			if ((await workspace.room()) > 0) return outcome;
			const { quota } = workspace;
			const note = callTexts.workspaceFull(exactSizeOf(quota));
			// For a command in the background, `onOutput` is the only way to report the full workspace.
			command.onOutput?.(Buffer.from(note));
			return { ...outcome, output: `${outcome.output}${note}` };
		},
	};
	return network === sandbox ? { ...bounded, network: bounded } : bounded;
}

/** Stores and announces a copy of the file in one transaction. Returns the facts of the copy. */
async function shareFile(
	run: Run,
	call: CallBlock,
	{ path, name }: { readonly path: string; readonly name: string },
	{ files, workspaces, forbidden }: Pick<ToolPorts, "files" | "workspaces" | "forbidden">,
): Promise<FileFacts> {
	const { session } = run;
	// The id is derived from the call, so that a repetition after a crash finds the copy.
	const id = `file_${createHash("sha256").update(`${session.id} ${call.id}`).digest("hex").slice(0, 32)}`;
	const known = await files.known(id);
	if (known) return publicFileFacts(known);
	await using file = await openRegular(path, path);
	await refuseForbiddenHardLink(file, path, { forbidden, workspace: workspaces.of(session.home) });
	const content = readChunks(file, path, run.control.signal);
	const named = { id, name: session.redactor.redact(name) };
	const incoming = { ...named, owner: session.owner, sessionId: session.home.id, content };
	const stored = await files.storeWith(incoming, (insert) =>
		run.commit(async ({ tx, record }) => {
			const facts = await insert(tx);
			await record({ type: "file.created", file: publicFileFacts(facts), runId: run.id, callId: call.id });
			return facts;
		}),
	);
	return publicFileFacts(stored);
}

interface SchedulePorts {
	readonly schedules: RunSchedules;
	readonly skills: Skills;
	readonly people: People;
}

/**
 * Returns access to the schedules of the person who started the run, with that person's current permissions. If chat
 * users joined a run of the operator, the last user who joined owns the schedules.
 */
function scheduleAccessOf(
	run: Run,
	callId: string,
	{ schedules, skills, people }: SchedulePorts,
): ScheduleAccess {
	const { session } = run;
	const sessionId = session.home.id;
	const request = async (method: string) => {
		return { principal: await ownerOf(run, people), key: undefined, method, params: {} };
	};
	const list = async () => {
		const { principal } = await request("list_schedules");
		return schedules.list(principal, { sessionId, limit: scheduleLimits.perOwner });
	};
	const check: ScheduleAccess["check"] = async (requested) => {
		refuseLoop(run);
		checkScheduleTexts(requested);
		schedules.triggerOf(requested.trigger);
		await skills.checkScheduled(session.rootDir, requested.prompt);
	};
	const removable: ScheduleAccess["removable"] = async (id) => {
		const found = (await list()).find((schedule) => schedule.id === id);
		if (found) return found;
		throw unknownSchedule(id);
	};
	return {
		check,
		list,
		removable,
		async create(requested) {
			await check(requested);
			const taint = await run.journal.store.read((db) => findTaint(db, session.id));
			const by = await request("schedule_task");
			return schedules.create(by, { sessionId }, requested, { callId, taint });
		},
		async remove(id) {
			await removable(id);
			return schedules.remove(await request("unschedule_task"), id);
		},
	};
}

async function ownerOf(run: Run, people: People): Promise<Principal> {
	const { row, session } = run;
	const actor = row.actor ?? runParticipants(run).at(-1);
	if (!actor) return operator;
	const role = await run.journal.store.read((db) => people.roleNow(db, actor));
	const { platform } = actor.place;
	return { id: session.home.owner, kind: "connector", platform, person: { ...actor, role } };
}

function refuseLoop(run: Run): void {
	if (!run.scheduled) return;
	const message = callTexts.scheduleInSchedule;
	throw new ParleyError(message, { code: "failed_precondition" });
}

function writeTodo(run: Run, callId: string, steps: readonly PlanStep[]): Promise<TaskProgress> {
	const { redactor, id, bus } = run.session;
	const redacted = steps.map((step) => ({ ...step, title: redactor.redact(step.title) }));
	return run.commit(async ({ tx, record }) => {
		const before = await newestTodo(tx, id, bus.seq);
		// An unchanged list is not recorded again, for example after a crash.
		if (before?.event.runId !== run.id || !isDeepStrictEqual(before.event.steps, redacted)) {
			await record({ type: "todo.updated", runId: run.id, callId, steps: redacted });
		}
		return progressOf("", redacted, false);
	});
}
