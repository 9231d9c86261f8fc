import { isDeepStrictEqual } from "node:util";
import { defined } from "@parley/base";
import { findChanges, isApproved, type PromptRow } from "../../conversation/prompt-rows.ts";
import { isCoverable, type Prompts, type Question } from "../../conversation/prompts.ts";
import { changedSince, prepareCall, type ReadyCall, type RefusedCall } from "../../tools/calls/tool-call.ts";
import { skill } from "../../tools/skill.ts";
import { findTrust } from "../../trust/grants/session-trust.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import type { Prompt } from "../../vocabulary/prompt.ts";
import { type CallDecision, interrupted, lastDecision, ranSinceQuestion } from "../../vocabulary/step.ts";
import { joinTaints, taintOf } from "../../vocabulary/taint.ts";
import type { SharedFilesFacts } from "../../vocabulary/tool.ts";
import { clientCallTexts } from "../client-tools/texts.ts";
import { refuseRepeat, stopIfAbandoned } from "../run/limits.ts";
import type { Run, Writing } from "../run/run.ts";
import { excludedBySkill } from "../run/skills-of-run.ts";
import { type ApprovalPorts, allowChanges, approvalQuestion, readApproval } from "./ask-person.ts";
import type {
	Before,
	DependentCall,
	DraftProposal,
	Judgement,
	PlannedCall,
	ProposedCall,
	RefusedProposal,
	RepeatedQuestion,
} from "./call-states.ts";
import { draftImpossible } from "./impossible-call.ts";
import { bindingOf, type JudgePorts, judgeCall, withBoundFacts, withChanges } from "./judge-call.ts";
import { auditDenial, recordResult, recordStart, refusedFor, withoutRun } from "./record-call.ts";
import { callTexts } from "./texts.ts";
import type { ContextOf } from "./tool-context.ts";

export interface ProposalPorts extends ApprovalPorts, JudgePorts {
	readonly contextOf: ContextOf;
}

type Draft = DependentCall | DraftProposal | RefusedProposal;

const interruptedText = callTexts.interrupted(interrupted);

/**
 * Plans calls of one reply, except calls that have a result or cannot be planned yet. One commit records the
 * announcements, the required approvals, and the results of refused calls. Returns the proposed calls and the dependent
 * calls, in the order of the reply. If `repeated` is given, closes the earlier approvals of the calls. Throws if the
 * run is stopped.
 */
export async function proposeCalls(
	run: Run,
	calls: readonly CallBlock[],
	ports: ProposalPorts,
	repeated?: RepeatedQuestion,
): Promise<readonly (ProposedCall | DependentCall)[]> {
	const drafts: Draft[] = [];
	const sharedFacts: SharedFilesFacts = new Map();
	for (const call of calls) {
		if (run.steps.some((step) => step.kind === "result" && step.callId === call.id)) continue;
		drafts.push(await draft(run, call, { before: drafts, repeated, sharedFacts }, ports));
		run.control.signal.throwIfAborted();
	}
	const questions = new Map<Draft, Question>();
	for (const one of drafts) {
		if (one.kind !== "draft" || (one.judgement.effect !== "ask" && !one.known)) continue;
		stopIfAbandoned(run, one.known);
		if (!one.known) questions.set(one, await approvalQuestion(run, one, ports));
		allowChanges(run, one, ports);
	}
	const proposed = drafts.some((one) => questions.has(one) || isNew(run, one))
		? await run.commit((writing) => recordDrafts(run, { drafts, questions, prompts: ports.prompts }, writing))
		: drafts.flatMap((one) => waiting(one));
	if (questions.size > 0) {
		await run.reach("prompt-open");
		run.control.parkIfStopping();
	}
	publish(run, proposed);
	return proposed;
}

/**
 * Returns the note of an approval that is requested again because the files of its call changed. `names` is empty if
 * the changed files are unknown.
 */
export function filesChangedNote(names: readonly string[]): string {
	const suffix = names.length > 0 ? `: ${names.join(", ")}` : callTexts.unknownFiles;
	return callTexts.filesChanged(suffix);
}

/** Whether a call can run and changes nothing. False for a dependent call, whose effect is unknown. */
export function isPure(waiting: ProposedCall | DependentCall): boolean {
	if (waiting.kind !== "proposed" || waiting.impossible !== undefined) return false;
	return waiting.ready.tool.effect === "none";
}

interface DraftOptions {
	readonly before: readonly Draft[];
	readonly repeated: RepeatedQuestion | undefined;
	readonly sharedFacts: SharedFilesFacts;
}

async function draft(run: Run, call: CallBlock, options: DraftOptions, ports: ProposalPorts): Promise<Draft> {
	const drafted = await draftCall(run, call, options, ports);
	if (drafted.kind !== "refused" || run.row.options.ask !== "all") return drafted;
	const { contextOf } = ports;
	const facts = { pending: pendingOf(options.before), isAnnounced: isAnnounced(run, call), contextOf };
	return (await draftImpossible(run, drafted, facts)) ?? drafted;
}

async function draftCall(
	run: Run,
	call: CallBlock,
	{ before, repeated, sharedFacts }: DraftOptions,
	ports: ProposalPorts,
): Promise<Draft> {
	const refuse = (text: string): RefusedProposal => ({ kind: "refused", call, text });
	const wasStarted = hasIntent(run, call);
	const refusal =
		interruptedReason(run, call) ?? refuseRepeat(run.steps, call) ?? excludedBySkill(run, call.name);
	if (refusal !== undefined) return refuse(refusal);
	const context = await ports.contextOf(run, call);
	const prepared = await prepareCall(run.settings.tools, call, context);
	if (depends(prepared, before)) return { kind: "dependent", call };
	if (prepared.kind === "refused") return refuse(prepared.text);
	const given = { call, ready: prepared, context };
	// An answer from before a restart is valid even if the policy no longer requires approval.
	const known = repeated ? undefined : await readApproval(run, given);
	// Arguments that a person changed stay valid if the approval is requested again.
	const changes = await run.journal.store.read((db) => findChanges(db, { runId: run.id, callId: call.id }));
	const planned = await withChanges(run, given, changes, sharedFacts);
	if ("text" in planned) return refuse(planned.text);
	const pending = pendingOf(before);
	const judgement = await judgeCall(run, planned, pending, ports);
	if (judgement.effect === "deny") return { ...refuse(`denied: ${judgement.reason}`), denied: planned };
	const asks = judgement.effect === "ask" || known !== undefined;
	// An earlier call writes a file to which this call may be bound, so an approval that is requested now would have to
	// be repeated.
	if (asks && !known && planned.ready.plan.bind && writingOf(before).length > 0) {
		return { kind: "dependent", call };
	}
	const bound = asks ? await withBoundFacts(planned, { sharedFacts }) : planned;
	const proposed = { kind: "draft" as const, ...bound, judgement, pending, wasStarted };
	if (!known || !isOutdated(run, bound, known)) return withReason({ ...proposed, known }, repeated);
	return withReason({ ...proposed, known: undefined }, { notes: [filesChangedNote([])] });
}

function withReason(
	one: Omit<DraftProposal, "repeated">,
	repeated: RepeatedQuestion | undefined,
): DraftProposal {
	if (!repeated) return { ...one, repeated };
	const { plan } = one.ready;
	const notes = [...repeated.notes, ...plan.notes];
	return { ...one, repeated, ready: { ...one.ready, plan: { ...plan, notes } } };
}

/**
 * Whether the facts of an open or approved question have changed. Calls that ran after the question, before a restart,
 * may have changed the files of the call.
 */
function isOutdated(run: Run, bound: PlannedCall, known: PromptRow): boolean {
	if (!bound.isBound || !ranSinceQuestion(run.steps, bound.call.id)) return false;
	if (known.state !== "open" && !isApproved(known)) return false;
	const facts = changedSince(known.binding ?? "", bindingOf(bound, run.policy.version));
	// If the policy changed, `decisionOf` refuses the approval.
	return facts.length > 0 && !facts.includes("policy");
}

/**
 * Returns the error of a call that must not run again: the call may have had effects, or its client has disconnected.
 * Returns undefined for other calls.
 */
function interruptedReason(run: Run, call: CallBlock): string | undefined {
	const tool = run.settings.tools.find(({ name }) => name === call.name);
	// A plan describes the current state. It cannot show changes that the call has already made.
	if (hasIntent(run, call) && (!tool || tool.effect === "effectful")) return interruptedText;
	return tool || !isAnnounced(run, call) ? undefined : clientCallTexts.disconnected(call.name);
}

/** Returns the effects of the calls in `before`, as if all of them run. */
function pendingOf(before: readonly Draft[]): Before {
	const drafts = before.filter((one) => one.kind === "draft");
	return {
		taint: joinTaints(drafts.map(({ ready }) => taintOf(ready.plan.classes))),
		trusted: drafts.filter(({ judgement }) => judgement.trusted !== undefined).length,
	};
}

/**
 * Whether the call must be planned after earlier calls of the reply have run. True for the following calls, if the tool
 * is known:
 *
 * - calls after a dependent call or after a call that starts a skill
 * - calls that cannot be planned yet, after calls with effects
 * - calls that change the same file as an earlier call, because their approval would show an old state
 */
function depends(prepared: ReadyCall | RefusedCall, before: readonly Draft[]): boolean {
	if (prepared.kind === "refused" && !prepared.found) return false;
	if (before.some(({ kind }) => kind === "dependent")) return true;
	if (before.some((one) => one.kind === "draft" && one.ready.tool.name === skill.name)) return true;
	const changing = changingOf(before);
	if (prepared.kind === "refused") return changing.length > 0;
	if (prepared.tool.effect === "none") return false;
	const path = pathOf(prepared);
	return path !== undefined && changing.some(({ ready }) => pathOf(ready) === path);
}

function changingOf(before: readonly Draft[]): readonly DraftProposal[] {
	return before.filter((one) => one.kind === "draft").filter(({ ready }) => ready.tool.effect !== "none");
}

function writingOf(before: readonly Draft[]): readonly DraftProposal[] {
	return changingOf(before).filter(({ ready }) => pathOf(ready) !== undefined);
}

function pathOf({ plan }: ReadyCall): string | undefined {
	return plan.binding["path"];
}

function isNew(run: Run, one: Draft): boolean {
	if (one.kind === "refused") return true;
	return one.kind === "draft" && (!isAnnounced(run, one.call) || hasNewDecision(run, one));
}

function isAnnounced(run: Run, call: CallBlock): boolean {
	return run.steps.some((step) => step.kind === "started" && step.callId === call.id);
}

/** Whether the call may already have had effects: its `intent` is recorded. */
function hasIntent(run: Run, call: CallBlock): boolean {
	return run.steps.some((step) => step.kind === "intent" && step.callId === call.id);
}

async function recordDrafts(
	run: Run,
	{
		drafts,
		questions,
		prompts,
	}: {
		readonly drafts: readonly Draft[];
		readonly questions: ReadonlyMap<Draft, Question>;
		readonly prompts: Prompts;
	},
	writing: Writing,
): Promise<readonly (ProposedCall | DependentCall)[]> {
	const { tx } = writing;
	const { home } = run.session;
	// Read in the transaction that raises the approvals. Otherwise an approval could stay open although trust was granted
	// meanwhile.
	const asksAll = run.withoutGrants || run.row.options.ask === "all";
	const trusts = !asksAll && questions.size > 0 && home.isActive(await findTrust(tx, home.id));
	const needed = [...questions].filter(([, question]) => !trusts || !isCoverable(question));
	const raised = new Map(
		needed.map(([one, question], index) => [one, inReply(run, question, index + 1, needed.length)]),
	);
	const proposed: (ProposedCall | DependentCall)[] = [];
	for (const one of drafts) {
		if (one.kind === "refused") {
			await recordRefusal(run, one, prompts, writing);
			continue;
		}
		const question = raised.get(one);
		if (one.kind === "draft") {
			if (one.repeated)
				await closeApproval(run, { call: one.call, reason: changedFilesReason, prompts }, writing);
			if (one.denied) await auditDenial(run, writing, one.denied);
			await recordJudgement(run, { ...one, isRaised: question !== undefined }, writing);
		}
		if (question) await prompts.raise(tx, writing.record, home, question);
		proposed.push(...waiting(one, question?.prompt));
	}
	return proposed;
}

/**
 * Adds the position of an approval among the `count` approvals of one reply, because clients show these approvals
 * together.
 */
function inReply(run: Run, question: Question, place: number, count: number): Question {
	const { prompt } = question;
	if (!prompt.approval) return question;
	const id = `${run.id}/${run.steps.filter(({ kind }) => kind === "reply").length}`;
	return {
		...question,
		prompt: { ...prompt, approval: { ...prompt.approval, reply: { id, place, count } } },
	};
}

async function recordRefusal(
	run: Run,
	{ call, text, denied }: RefusedProposal,
	prompts: Prompts,
	writing: Writing,
): Promise<void> {
	if (denied) await auditDenial(run, writing, denied);
	await closeApproval(run, { call, reason: "refused", prompts }, writing);
	const result = withoutRun(run, call, { text, failed: true });
	if (isAnnounced(run, call) && !hasIntent(run, call)) {
		const decision = refusedFor(run, result.result);
		await writing.step({ kind: "judged", callId: call.id, decision });
	}
	await recordResult(run, result, writing);
}

const changedFilesReason = callTexts.filesChangedAsk;

async function closeApproval(
	run: Run,
	{ call, reason, prompts }: { readonly call: CallBlock; readonly reason: string; readonly prompts: Prompts },
	{ tx, record }: Writing,
): Promise<void> {
	const target = { runId: run.id, callId: call.id, reason };
	const closed = await prompts.close(tx, record, run.session.home, target);
	for (const token of closed) run.session.home.wake(token);
}

/** Refuses a proposed call, unless it already has a result, for example because a person denied the call. */
export async function refuseProposed(
	run: Run,
	call: CallBlock,
	text: string,
	prompts: Prompts,
): Promise<void> {
	await run.commit(async (writing) => {
		const isSettled = run.steps.some((step) => step.kind === "result" && step.callId === call.id);
		if (isSettled) return;
		await closeApproval(run, { call, reason: callTexts.itsFilesChanged, prompts }, writing);
		await recordRefusal(run, { kind: "refused", call, text }, prompts, writing);
	});
}

async function recordJudgement(
	run: Run,
	one: DraftProposal & { readonly isRaised: boolean },
	writing: Writing,
): Promise<void> {
	const { call, judgement, isRaised } = one;
	const decision = decisionFrom(judgement);
	if (!isAnnounced(run, call)) {
		const { trusted } = judgement;
		await recordStart(run, { call, decision, ...defined({ trusted }) }, writing);
	} else if (isRaised || hasNewDecision(run, one)) {
		await writing.step({
			kind: "judged",
			callId: call.id,
			decision,
			...defined({ asked: isRaised || undefined }),
		});
	}
}

function decisionFrom({ effect, reason, version }: Judgement): CallDecision {
	return { effect: effect === "ask" ? "ask" : "allow", reason, policy: version };
}

function hasNewDecision(run: Run, { call, judgement, known }: DraftProposal): boolean {
	// The approver decides, even if the policy no longer requires approval.
	if (known && judgement.effect !== "ask") return false;
	const last = lastDecision(run.steps, call.id);
	return last !== undefined && !isDeepStrictEqual(last, decisionFrom(judgement));
}

function waiting(one: Draft, raised?: Prompt): readonly (ProposedCall | DependentCall)[] {
	if (one.kind === "refused") return [];
	if (one.kind === "dependent") return [one];
	const { known, repeated: _again, denied: _denied, ...planned } = one;
	return [{ ...planned, kind: "proposed", prompt: raised ?? known?.prompt }];
}

/** Publishes the planned calls in one list, for clients that decide on all calls of a reply together. */
function publish(run: Run, proposed: readonly (ProposedCall | DependentCall)[]): void {
	const planned = proposed.filter((one) => one.kind === "proposed");
	if (planned.length === 0) return;
	const calls = planned.map(({ call, changed = call.arguments, prompt }) => ({
		callId: call.id,
		name: call.name,
		arguments: run.session.redactor.redactFields(changed),
		...defined({ token: prompt?.token }),
	}));
	run.session.bus.pass({ type: "calls.proposed", runId: run.id, calls });
}
