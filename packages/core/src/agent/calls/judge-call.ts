import { defined, ParleyError } from "@parley/base";
import type { SessionGrants } from "../../conversation/session-grants.ts";
import { offerRule } from "../../policy/always-rule.ts";
import { type Decision, decide, grantsUnder } from "../../policy/policy.ts";
import { findTaint } from "../../store/session-taint.ts";
import {
	bindingText,
	changedSince,
	prepareCall,
	type ReadyCall,
	type RefusedCall,
} from "../../tools/calls/tool-call.ts";
import { findScopes } from "../../trust/grants/session-trust.ts";
import type { People } from "../../trust/people/people.ts";
import type { TrustBadge } from "../../vocabulary/event.ts";
import { hasRole } from "../../vocabulary/principal.ts";
import { ranSinceQuestion } from "../../vocabulary/step.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import { joinTaints } from "../../vocabulary/taint.ts";
import type { BindOptions } from "../../vocabulary/tool.ts";
import { joinedBy, type Run, runParticipants } from "../run/run.ts";
import { refusalWhenFull, type WorkspacePorts } from "../run/workspace.ts";
import type { Before, Judgement, PlannedCall } from "./call-states.ts";
import { approvalTexts } from "./texts.ts";

export interface JudgePorts extends WorkspacePorts {
	readonly grants: SessionGrants;
	readonly people: People;
}

/** Returns the call with all facts to which its approval is bound. */
export async function withBoundFacts(planned: PlannedCall, options?: BindOptions): Promise<PlannedCall> {
	const { bind, ...plan } = planned.ready.plan;
	if (bind === undefined) return planned;
	const { binding, notes, usualNotes = [] } = await bind(options);
	const bound = {
		...plan,
		binding: { ...plan.binding, ...binding },
		notes: [...plan.notes, ...notes],
		usualNotes: [...(plan.usualNotes ?? []), ...usualNotes],
	};
	return { ...planned, isBound: true, ready: { ...planned.ready, plan: bound } };
}

export async function replan(
	run: Run,
	planned: PlannedCall,
	sharedFacts?: BindOptions["sharedFacts"],
): Promise<PlannedCall | RefusedCall> {
	const { call, ready, context, changed } = planned;
	const shown = { ...call, arguments: changed ?? call.arguments };
	const prepared = await prepareCall(run.settings.tools, shown, context);
	if (prepared.kind === "refused") return prepared;
	const normal = changed === undefined ? undefined : prepared.arguments;
	const replanned = { call, context, ready: prepared, ...defined({ changed: normal }) };
	return withBoundFacts(replanned, { earlier: ready.plan.binding, sharedFacts });
}

export function bindingOf({ call, ready, changed = call.arguments }: PlannedCall, version: string): string {
	return bindingText({ name: call.name, arguments: changed }, ready.plan, version);
}

/** No pending effects of earlier calls. Effects that the session has recorded still apply. */
export const nothingPending: Before = { taint: "", trusted: 0 };

/**
 * Judges whether the call may run. If the options of the run require an approval for every call, an allowed call also
 * needs an approval.
 */
export async function judgeCall(
	run: Run,
	planned: PlannedCall,
	pending: Before,
	ports: JudgePorts,
): Promise<Judgement> {
	const { trusted, ...judgement } = await judgeByPolicy(run, planned, pending, ports);
	if (judgement.effect !== "allow" || run.row.options.ask !== "all")
		return { ...judgement, ...defined({ trusted }) };
	return { ...judgement, effect: "ask", reason: approvalTexts.needsApproval(judgement.reason) };
}

async function judgeByPolicy(
	run: Run,
	planned: PlannedCall,
	pending: Before,
	ports: JudgePorts,
): Promise<Judgement> {
	const { session, trusted: acceptAll } = run;
	const { scopes, before } = await run.journal.store.read(async (db) => ({
		scopes: await findScopes(db, session.home.id),
		before: await findTaint(db, session.id),
	}));
	const taint = joinTaints([before, pending.taint]);
	const { call, ready, context, changed = call.arguments } = planned;
	const { policy } = run;
	const { version } = policy;
	const hidden = JSON.stringify(changed) !== JSON.stringify(session.redactor.redactFields(changed));
	const reason = await refusalOfRolesOrQuota(run, ready, ports);
	if (reason !== undefined)
		return { effect: "deny", floor: false, reason, rules: [], taint, hidden, version };
	// If a secret is hidden, no approver has seen the complete call that a grant would cover.
	const grants = hidden || run.withoutGrants ? [] : grantsUnder(policy, scopes);
	const permissions = { acceptAll, grants, taint, policy, fromChat: session.place !== undefined };
	const decision = decide({ ...ready, context }, permissions);
	const facts = { taint, hidden, version };
	const unreachable = refusalOfQuorum(run, decision);
	if (unreachable !== undefined)
		return { ...decision, ...facts, effect: "deny", floor: false, reason: unreachable };
	if (decision.effect !== "ask" || decision.floor || hidden || run.withoutGrants)
		return { ...decision, ...facts };
	const trusted = await findTrust(run, ready, pending.trusted, ports.grants);
	if (!trusted) {
		const offered = mayOffer(run, decision) ? offerRule({ ...ready, context }, permissions) : undefined;
		return { ...decision, ...facts, ...defined({ offered }) };
	}
	const withTrust = decide({ ...ready, context }, { ...permissions, trusted: true });
	return {
		...withTrust,
		...facts,
		...defined({ trusted: withTrust.effect === "allow" ? trusted : undefined }),
	};
}

function mayOffer({ session, policies }: Run, { approvals }: Decision): boolean {
	const isOfChat = session.place !== undefined || session.home.place !== undefined;
	return !isOfChat && approvals === undefined && policies.canAddRules;
}

function findTrust(
	run: Run,
	call: ReadyCall,
	pending: number,
	grants: SessionGrants,
): Promise<TrustBadge | undefined> {
	const { place } = run.session;
	// The grant must cover the requester and all other participants of the run.
	const participants = [run.row.actor, ...joinedBy(run)];
	return run.journal.store.read((db) => grants.covering(db, { place, participants, call, pending }));
}

/**
 * Plans and binds the call again with `changed`, the arguments that an approver set. Returns the call unchanged if
 * `changed` is undefined.
 */
export async function withChanges(
	run: Run,
	planned: PlannedCall,
	changed: unknown,
	sharedFacts?: BindOptions["sharedFacts"],
): Promise<PlannedCall | RefusedCall> {
	return changed === undefined ? planned : replan(run, { ...planned, changed }, sharedFacts);
}

interface ArgumentChange {
	readonly changed: unknown;
	readonly binding: string;
	/** Whether the changed call must stay within the action classes of the displayed call. */
	readonly narrows: boolean;
	/** The judgement that the approver saw. */
	readonly judgement: Judgement;
	readonly pending: Before;
}

/**
 * Plans and judges a call with changed arguments, and returns the changed call with its binding. Throws
 * `invalid_argument` in these cases:
 *
 * - The arguments are invalid or denied.
 * - The changed arguments contain `[redacted]` in place of a hidden secret.
 * - `narrows` is true, and the changed call has a class that the displayed call does not have.
 * - The changed call always requires approval, for a reason that the approver has not seen.
 * - A fact to which the question is bound has changed.
 */
export async function judgeChanged(
	run: Run,
	planned: PlannedCall,
	{ changed, binding, narrows, judgement, pending }: ArgumentChange,
	ports: JudgePorts,
): Promise<{ readonly binding: string; readonly planned: PlannedCall; readonly judgement: Judgement }> {
	// The approver copied the displayed text. The call would run with `[redacted]` instead of the secret.
	if (judgement.hidden && JSON.stringify(changed).includes("[redacted]")) {
		throw invalid(approvalTexts.redacted);
	}
	const replanned = await replan(run, { ...planned, changed });
	if ("text" in replanned) throw invalid(replanned.text);
	if (narrows) requireNarrower(planned, replanned);
	const newJudgement = await judgeCall(run, replanned, pending, ports);
	const { effect, floor, reason, version } = newJudgement;
	if (effect === "deny") throw invalid(`denied: ${reason}`);
	if (floor && reason !== judgement.reason) {
		throw invalid(approvalTexts.alwaysSeparate(reason));
	}
	const bound = bindingOf(replanned, version);
	// The original call is checked last, to detect a file that was replaced during the check of the new arguments.
	const differs = changedSince(binding, await bindingAsShown(run, planned));
	if (differs.length > 0) {
		const next = ranSinceQuestion(run.steps, planned.call.id)
			? approvalTexts.repeatedQuestion
			: approvalTexts.denyInstead;
		throw invalid(approvalTexts.changedSince(differs.join(", "), next));
	}
	return { binding: bound, planned: replanned, judgement: newJudgement };
}

function requireNarrower({ ready: shown }: PlannedCall, { ready: changed }: PlannedCall): void {
	const added = changed.plan.classes.filter((name) => !shown.plan.classes.includes(name));
	if (added.length === 0) return;
	throw invalid(approvalTexts.doesMore(added.join(", ")));
}

async function bindingAsShown(run: Run, planned: PlannedCall): Promise<string> {
	const now = await replan(run, planned);
	if ("text" in now) throw invalid(approvalTexts.notPossible(now.text));
	return bindingOf(now, run.policy.version);
}

function invalid(message: string): ParleyError {
	return new ParleyError(`arguments: ${message}`, { code: "invalid_argument" });
}

/**
 * Classes that are allowed in runs of guests and of people without access, because calls of these classes change
 * nothing.
 */
const harmless: readonly ActionClass[] = ["read", "person", "memory-read"];

/** Classes of calls that can fill the workspace. */
const filling: readonly ActionClass[] = ["write", "exec-sandboxed", "exec-unsandboxed"];

async function refusalOfRolesOrQuota(
	run: Run,
	{ plan }: ReadyCall,
	ports: JudgePorts,
): Promise<string | undefined> {
	const reads = plan.classes.every((name) => harmless.includes(name));
	const refusal = reads ? undefined : await refusalOfParticipants(run, ports.people);
	if (refusal !== undefined) return refusal;
	return plan.classes.some((name) => filling.includes(name)) ? refusalWhenFull(run, ports) : undefined;
}

async function refusalOfParticipants(run: Run, people: People): Promise<string | undefined> {
	for (const person of runParticipants(run)) {
		// The current role applies, not the role at the time of the message.
		const role = await run.journal.store.read((db) => people.roleNow(db, person));
		if (hasRole({ role }, "member")) continue;
		return role === "guest" ? approvalTexts.guestSender : approvalTexts.noAccessSender;
	}
	return undefined;
}

/** Returns the reason why the call cannot get the required approvals, or undefined. */
function refusalOfQuorum({ session }: Run, { approvals, floor, reason }: Decision): string | undefined {
	// Only the operator can approve calls outside channels and calls that always require approval, so these
	// calls cannot get several approvals.
	if (approvals === undefined || (session.home.place !== undefined && !floor)) return undefined;
	return approvalTexts.several(reason, approvals);
}
