import type { TrustBadge } from "../event.ts";
import type { CallBlock } from "../message.ts";
import { findPrompt } from "../session/prompts.ts";
import { joinTaints, taintOf } from "../taint.ts";
import type { ToolContext } from "../tool.ts";
import { prepareCall, type ReadyCall, type RefusedCall } from "../tool-call.ts";
import { approvalOf, askApproval, refusalOf } from "./ask-approval.ts";
import { auditDenial } from "./audit-call.ts";
import { refuseRepeat } from "./breaker.ts";
import { interrupted } from "./interrupted.ts";
import { workspaceOf } from "./place-rules.ts";
import {
	type Before,
	bindingOf,
	type Judgement,
	judgeCall,
	type PlannedCall,
	versionFor,
	withBoundFacts,
	withChanges,
} from "./plan-call.ts";
import type { Run } from "./run.ts";
import { recordStart, settleCall } from "./settle-call.ts";
import { shareFile } from "./share-file.ts";
import { elicit } from "./waiting.ts";
import { withinQuota } from "./within-quota.ts";

/** A call that may run: allowed by policy, or approved by the person who answered `token`. */
export interface ApprovedCall extends PlannedCall {
	readonly token: string | undefined;
	/** Of the rules that decided. */
	readonly version: string;
	/** Under which grant of the channel nobody was asked. */
	readonly trusted?: TrustBadge;
}

/** A call of which it shows only when those before it have run what it would do. */
export interface DependentCall {
	readonly call: CallBlock;
	readonly ready?: undefined;
}

/** A call that has its turn before it. */
export type WaitingCall = ApprovedCall | DependentCall;

const lookFirst = `${interrupted}: the gateway stopped while this call ran; look before you repeat it`;

/**
 * Announces a call and finds out whether it may run, asking a person where the policy says so. `before` holds the
 * calls of the same reply that will run before it; of one that depends on them nothing is found out yet. Undefined when
 * the call has its result already: refused, denied, or run before a restart.
 */
export async function decideCall(
	run: Run,
	call: CallBlock,
	before: readonly WaitingCall[],
): Promise<WaitingCall | undefined> {
	if (run.steps.some((step) => step.kind === "result" && step.callId === call.id)) return undefined;
	const begun = run.steps.some((step) => step.kind === "intent" && step.callId === call.id);
	const tool = run.settings.tools.find(({ name }) => name === call.name);
	// Whatever its plan would say by now: nobody knows what it has done.
	if (begun && tool?.effect === "effectful") return settleCall(run, call, { text: lookFirst, failed: true });
	if (await settleRepeat(run, call)) return undefined;
	const context = await contextOf(run, call);
	const prepared = await prepareCall(run.settings.tools, call, context);
	if (depends(prepared, before)) return { call };
	if (prepared.kind === "refused") return settleCall(run, call, { text: prepared.text, failed: true });
	const approved = before.filter(isDecided);
	const pending = {
		taint: joinTaints(approved.map(({ ready }) => taintOf(ready.plan.classes))),
		trusted: approved.filter(({ trusted }) => trusted !== undefined).length,
	};
	const changing = before.some((waiting) => !isPure(waiting));
	return decideReady(run, { call, ready: prepared, context }, { begun, pending, changing });
}

/** The same when its turn has come, and nothing of its reply is left before it. */
export async function decideNow(run: Run, call: CallBlock): Promise<ApprovedCall | undefined> {
	const decided = await decideCall(run, call, []);
	return decided && isDecided(decided) ? decided : undefined;
}

export function isDecided(waiting: WaitingCall): waiting is ApprovedCall {
	return waiting.ready !== undefined;
}

/** Whether it leaves all as it is. Of a call that depends on others nobody knows yet. */
export function isPure({ ready }: WaitingCall): boolean {
	return ready?.tool.effect === "none";
}

/**
 * Whether the calls before it decide what it would do, as far as that can be told: it cannot be done as things are, or
 * changes the very file that one of them changes, and a question about it would show what is not so any more. What
 * stands behind such a call waits as well: what that brings into the session may decide about it.
 */
function depends(prepared: ReadyCall | RefusedCall, before: readonly WaitingCall[]): boolean {
	if (prepared.kind === "refused" && !prepared.found) return false;
	if (!before.every(isDecided)) return true;
	const changing = before.filter((waiting) => !isPure(waiting));
	if (prepared.kind === "refused") return changing.length > 0;
	if (prepared.tool.effect === "none") return false;
	const path = pathOf(prepared);
	return path !== undefined && changing.some(({ ready }) => pathOf(ready) === path);
}

function pathOf({ plan }: ReadyCall): string | undefined {
	return plan.binding["path"];
}

/** Gives a call its result where it failed in the same way too often to be tried again. */
export async function settleRepeat(run: Run, call: CallBlock): Promise<boolean> {
	const text = refuseRepeat(run.steps, call);
	if (text === undefined) return false;
	await settleCall(run, call, { text, failed: true });
	return true;
}

/**
 * Decides about a call that makes sense. `changing` says whether calls that run before it may change files: then a
 * question about a call that is bound to files waits for them.
 */
async function decideReady(
	run: Run,
	given: PlannedCall,
	{
		begun,
		pending,
		changing,
	}: { readonly begun: boolean; readonly pending: Before; readonly changing: boolean },
): Promise<WaitingCall | undefined> {
	const { call } = given;
	const refuse = (text: string) => settleCall(run, call, { text, failed: true });
	const { store } = run.session.deps.journal;
	// An answer given before a restart counts, also where nobody would be asked by now.
	const known = await store.read((db) => findPrompt(db, approvalOf(run, given)));
	const planned = await withChanges(run, given, known);
	if ("text" in planned) return refuse(planned.text);
	const judgement = await judgeCall(run, planned, pending);
	if (judgement.effect === "deny") {
		await run.commit((tx) => auditDenial(run, tx, planned));
		return refuse(`denied: ${judgement.reason}`);
	}
	const asks = judgement.effect === "ask" || known !== undefined;
	if (asks && changing && known === undefined && planned.ready.plan.bind) return { call };
	await announce(run, call, judgement);
	const bound = asks ? await withBoundFacts(planned) : planned;
	const row = asks ? await askApproval(run, bound, { ...judgement, pending }) : undefined;
	const { version, trusted } = judgement;
	if (!row) return { ...planned, token: undefined, version, ...(trusted && { trusted }) };
	const answered = await withChanges(run, bound, row);
	if ("text" in answered) return refuse(answered.text);
	// Begun before a restart and safe to repeat: the approval was used for this very call.
	const usable = begun ? ["answered", "consumed"] : ["answered"];
	const now = versionFor(run);
	const refusal = refusalOf(row, usable, bindingOf(answered, now));
	return refusal === undefined ? { ...answered, token: row.prompt.token, version: now } : refuse(refusal);
}

function isAnnounced(run: Run, call: CallBlock): boolean {
	return run.steps.some((step) => step.kind === "started" && step.callId === call.id);
}

/** Records `tool.started`, once per call, and what the policy says of it. */
async function announce(
	run: Run,
	call: CallBlock,
	{ effect, reason, version, trusted }: Judgement,
): Promise<void> {
	if (isAnnounced(run, call)) return;
	const decision = { effect: effect === "ask" ? "ask" : "allow", reason, policy: version } as const;
	await run.commit((_tx, record, step) =>
		recordStart(run, { call, decision, ...(trusted && { trusted }) }, record, step),
	);
}

async function contextOf(run: Run, call: CallBlock): Promise<ToolContext> {
	const roots = run.deps.roots(run.session);
	const workspace = workspaceOf(run);
	const sandbox = await run.deps.sandbox.of({ chat: run.session.place !== undefined, roots });
	return {
		sessionId: run.session.id,
		callId: call.id,
		roots,
		cwd: run.session.rootDir,
		forbidden: run.deps.forbidden,
		workspace: workspace?.path,
		sandbox: workspace ? withinQuota(sandbox, workspace) : sandbox,
		signal: run.signal,
		clock: run.session.deps.clock,
		log: run.log,
		// What only looks at a call tells nothing of it; who runs it listens.
		progress: () => undefined,
		ask: (question) => elicit(run, call.id, question),
		openOutput: (name) => run.session.deps.files.openOutput(name, run.session.id),
		share: (path, name) => shareFile(run, call, { path, name }),
		...(run.session.task && { task: run.session.task.desk(run, call.id) }),
	};
}
