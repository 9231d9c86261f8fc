import { defined, definedItems, type Ids, ParleyError, type TextRedactor } from "@parley/base";
import { withoutRequester } from "../../conversation/notice-schedule.ts";
import { type Asking, isApproved, type PromptRow } from "../../conversation/prompt-rows.ts";
import { type Prompts, promptLifeMs, type Question } from "../../conversation/prompts.ts";
import { isUsualReason } from "../../policy/policy-rule.ts";
import { unreadTexts } from "../../text/texts.ts";
import { isUnread } from "../../text/unread-approval.ts";
import { visible } from "../../text/visible.ts";
import { changedSince } from "../../tools/calls/tool-call.ts";
import type { PlaceProfile } from "../../vocabulary/chat-settings.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import type {
	ApprovalContext,
	Elicitation,
	ElicitationAnswer,
	NoticeSchedule,
	OfferedRule,
	Prompt,
} from "../../vocabulary/prompt.ts";
import { ranSinceQuestion } from "../../vocabulary/step.ts";
import { taintNotes } from "../../vocabulary/taint.ts";
import { denied, unanswered } from "../run/limits.ts";
import { type Run, runParticipants } from "../run/run.ts";
import type { ApprovedCall, Before, Judgement, PlannedCall, ProposedCall } from "./call-states.ts";
import { bindingOf, type JudgePorts, judgeChanged, withChanges } from "./judge-call.ts";
import { settleCall } from "./record-call.ts";
import { readPrompt, settled } from "./settled-prompt.ts";
import { approvalTexts } from "./texts.ts";

interface InPlace {
	readonly place: string | undefined;
}

export interface QuestionPorts {
	readonly prompts: Prompts;
	readonly ids: Ids;
	readonly profileOf: (session: InPlace) => PlaceProfile;
}

export interface ApprovalPorts extends QuestionPorts {
	/**
	 * Returns the keys of channels, other than the session's channel, in which approvals of the session may be answered.
	 */
	readonly approveIn: (session: InPlace) => Promise<readonly string[]>;
	/**
	 * Returns the schedule of notices about approvals of the session, or undefined if there are no notices.
	 * `answeredIn`: the result of `approveIn`.
	 */
	readonly noticesOf: (
		session: InPlace,
		answeredIn: readonly string[],
	) => Promise<NoticeSchedule | undefined>;
}

function approvalOf(run: Run, { call }: { readonly call: CallBlock }): Asking {
	return { runId: run.id, callId: call.id, kind: "approval" };
}

export function readApproval(
	run: Run,
	planned: { readonly call: CallBlock },
): Promise<PromptRow | undefined> {
	return readPrompt(run.journal, approvalOf(run, planned));
}

/** Returns the question for the approval of a call, with the facts that are stored with the approval. */
export async function approvalQuestion(
	run: Run,
	planned: PlannedCall & { readonly judgement: Judgement },
	ports: ApprovalPorts,
): Promise<Question> {
	const { call, ready, judgement } = planned;
	const { floor, hidden, version, approvals } = judgement;
	// Under each of the following conditions, an approval for the session would not skip a later approval.
	const isOnce = floor || hidden || approvals !== undefined || run.row.options.ask === "all";
	const scope = isOnce ? undefined : ready.plan.grant;
	const alsoIn = await ports.approveIn(run.session);
	const schedule = await ports.noticesOf(run.session, alsoIn);
	const notices = schedule && withoutRequester(schedule, runParticipants(run)[0]);
	const prompt = promptOf(
		run,
		shownApproval(run, planned, {
			...judgement,
			allowSession: scope !== undefined,
			alsoIn,
			offered: isOnce ? undefined : judgement.offered,
		}),
		ports,
	);
	return {
		callId: call.id,
		...defined({ notices }),
		approval: {
			floor,
			binding: bindingOf(planned, version),
			...defined({ scope: scope && { ...scope, policy: version } }),
		},
		prompt: notices ? withNotice(prompt, notices, run.clock.now()) : prompt,
	};
}

function withNotice(prompt: Prompt, { groups: [notify], remindMs }: NoticeSchedule, now: number): Prompt {
	const { approval } = prompt;
	if (!approval || !notify) return prompt;
	return {
		...prompt,
		approval: { ...approval, notify },
		remindAt: Math.min(now + remindMs, prompt.expiresAt),
	};
}

/**
 * Registers the function that judges changed arguments of a call. For a call that cannot run, the function refuses
 * every change.
 */
export function allowChanges(
	run: Run,
	planned: PlannedCall & { readonly judgement: Judgement; readonly pending: Before },
	ports: JudgePorts,
): void {
	const { judgement, pending, call, impossible } = planned;
	run.control.changes.set(call.id, async (changed, binding, narrows) => {
		if (impossible === undefined) {
			const change = { changed, binding, narrows, judgement, pending };
			const judgedChange = await judgeChanged(run, planned, change, ports);
			const once = { ...judgedChange.judgement, allowSession: false, alsoIn: [], offered: undefined };
			const { label, approval } = shownApproval(run, judgedChange.planned, once);
			return { binding: judgedChange.binding, shown: { label, ...defined({ approval }) } };
		}
		const message = approvalTexts.cannotRun(impossible);
		throw new ParleyError(message, { code: "invalid_argument" });
	});
}

/**
 * Waits for the approval of a proposed call, if the call needs an approval, and returns the call with the approved
 * arguments. For a refused call, records the result and returns undefined. A returned call with a `refusal` is refused
 * or proposed again at its turn. Throws `cancelled` if the signal aborts before the decision.
 */
export async function decisionOf(
	run: Run,
	proposed: ProposedCall,
	prompts: Prompts,
	signal: AbortSignal,
): Promise<ApprovedCall | undefined> {
	const { kind: _kind, judgement, pending: _pending, wasStarted, prompt, ...planned } = proposed;
	const { call } = planned;
	const { version, trusted } = judgement;
	if (!prompt) {
		return { ...planned, token: undefined, shown: undefined, version, ...defined({ trusted }) };
	}
	let row: PromptRow;
	try {
		row = await settled(run, approvalOf(run, planned), { prompt, prompts, signal });
	} finally {
		run.control.changes.delete(call.id);
	}
	const changed = row.answer?.kind === "approved" ? row.answer.arguments : undefined;
	const answered = await withChanges(run, planned, changed);
	if ("text" in answered) return settleCall(run, call, { text: answered.text, failed: true });
	// A call that started before a restart has consumed its approval. Only calls that are safe to repeat reach this
	// point.
	const usable = wasStarted ? ["answered", "consumed"] : ["answered"];
	const now = run.policy.version;
	const refusal = refusalOf(row, usable, bindingOf(answered, now));
	const approved = { ...answered, token: prompt.token, shown: prompt.approval, version: now };
	const { impossible } = planned;
	if (refusal === undefined) return { ...approved, ...defined({ refusal: impossible }) };
	// Earlier calls of the reply may have changed the files. The call is compared with the changed files at its turn.
	const mayBeRepeated = isApproved(row) && answered.isBound && ranSinceQuestion(run.steps, call.id);
	if (mayBeRepeated) return { ...approved, refusal };
	return settleCall(run, call, { text: refusal, failed: true });
}

/** First words of the result of an approved call that does not run because a fact or the policy has changed. */
export const changedNote = approvalTexts.changed;

const hidingNote = approvalTexts.secretInCall;

type ShownQuestion = Omit<Prompt, "token" | "runId" | "expiresAt">;

interface Shown {
	readonly allowSession: boolean;
	readonly alsoIn: readonly string[];
	readonly offered: OfferedRule | undefined;
}

/** Returns the approval as people see it, without secrets. The approved call contains the secrets. */
function shownApproval(
	run: Run,
	{ call, ready, changed = call.arguments }: PlannedCall,
	{
		floor,
		reason,
		rules,
		taint,
		approvals,
		allowSession,
		alsoIn,
		offered,
	}: Omit<Judgement, "offered"> & Shown,
): ShownQuestion {
	const { plan } = ready;
	const redactor = run.session.redactor.into("question");
	const usual = new Set(plan.usualNotes);
	if (isUsualReason(rules)) usual.add(reason);
	// Most chat sessions contain messages from other people, so the note is usual if `U` (untrusted text) is the only
	// taint.
	if (taint === "U") for (const note of taintNotes(taint)) usual.add(note);
	const full = {
		label: `Allow ${plan.label}?`,
		arguments: changed,
		preview: plan.preview,
		notes: [...subAgentNotes(run), ...plan.notes, reason, ...taintNotes(taint)],
	};
	const shown = {
		label: redactor.redact(full.label),
		arguments: redactor.redactFields(changed),
		preview: redactor.redact(full.preview),
		notes: full.notes.map((note) => redactor.redact(note)),
	};
	const isRedacted = JSON.stringify(shown) !== JSON.stringify(full);
	const { label, ...details } = shown;
	const risk = floor ? "critical" : "normal";
	const approval: ApprovalContext = { callId: call.id, tool: call.name, risk, allowSession, ...details };
	const unread = isUnread({ label, approval });
	const added = [isRedacted ? hidingNote : undefined, unread ? unreadTexts.note : undefined];
	const notes = [...details.notes, ...definedItems(added)];
	const unusual = details.notes.filter((_, index) => !usual.has(full.notes[index] ?? ""));
	const warnings = [...unusual, ...definedItems(added)];
	return {
		type: "confirm",
		label,
		required: true,
		options: [],
		validation: "",
		placeholder: "",
		approval: {
			...approval,
			notes,
			warnings,
			...defined({
				approvals,
				alsoIn: alsoIn.length > 0 ? alsoIn : undefined,
				offered: isRedacted ? undefined : withoutSecret(offered, redactor),
			}),
		},
	};
}

function withoutSecret(offered: OfferedRule | undefined, redactor: TextRedactor): OfferedRule | undefined {
	// An operator may save the rule in a file, and quotes in a command can hide a secret from the redactor.
	const lines = offered?.commands.map(({ words }) => words.join(" ")) ?? [];
	return lines.every((line) => redactor.redact(line) === line) ? offered : undefined;
}

function subAgentNotes({ row }: Run): string[] {
	const { delegated } = row.options;
	// The name needs `visible`, because a model wrote it.
	return delegated ? [approvalTexts.requestedBySubAgent(visible(delegated.name))] : [];
}

function refusalOf(row: PromptRow, usable: readonly string[], binding: string): string | undefined {
	if (row.state === "expired") return approvalTexts.expired;
	if (row.answer?.kind === "approved") {
		if (!usable.includes(row.state)) return approvalTexts.alreadyUsed;
		const changed = changedSince(row.binding ?? "", binding);
		return changed.length === 0 ? undefined : approvalTexts.changedFacts(changedNote, changed.join(", "));
	}
	const answer = row.answer?.kind === "denied" ? row.answer : undefined;
	const by = answer?.unanswered ? unanswered : denied;
	return answer === undefined || answer.reason === "" ? by : `${by}: ${answer.reason}`;
}

function promptOf(run: Run, shown: ShownQuestion, { ids, profileOf }: QuestionPorts): Prompt {
	const { approvalMs = promptLifeMs } = profileOf(run.session);
	const { task } = run.session;
	return {
		token: ids.create("prompt"),
		runId: run.id,
		expiresAt: run.clock.now() + approvalMs,
		...shown,
		...defined({ taskId: task?.taskId }),
	};
}

/**
 * Asks the question and returns the closed prompt, or undefined if the prompt was withdrawn. After a restart, uses the
 * prompt that was raised before the restart, if any. Throws `cancelled` if the run is stopped before the prompt is
 * closed.
 */
async function askPerson(
	run: Run,
	asking: Asking & { readonly isRepeated: boolean; readonly withdrawn: AbortSignal | undefined },
	question: () => Question,
	prompts: Prompts,
): Promise<PromptRow | undefined> {
	const known = asking.isRepeated ? undefined : await readPrompt(run.journal, asking);
	if (known && known.state !== "open") return known;
	const prompt = known?.prompt ?? (await raise(run, question(), prompts));
	run.control.parkIfStopping();
	run.control.working.stop();
	const { signal } = run.control;
	const both = AbortSignal.any(definedItems([signal, asking.withdrawn]));
	try {
		return await settled(run, asking, { prompt, prompts, signal: both });
	} catch (reason) {
		if (signal.aborted || !asking.withdrawn?.aborted) throw reason;
		const { runId, callId } = asking;
		await run.commit(({ tx, record }) =>
			prompts.close(tx, record, run.session.home, { runId, callId, reason: "ended" }),
		);
		return undefined;
	} finally {
		run.control.working.start();
	}
}

/**
 * Asks a person a tool's question (not an approval) and returns the answer. `isRepeated`: whether the call has asked
 * before in this process. If not, a prompt that the call raised before a restart is reused. `withdrawn`: see
 * `ToolContext.ask`.
 */
export async function elicit(
	run: Run,
	call: { readonly id: string; readonly isRepeated: boolean; readonly withdrawn: AbortSignal | undefined },
	elicitation: Elicitation,
	ports: QuestionPorts,
): Promise<ElicitationAnswer> {
	const { id: callId, isRepeated, withdrawn } = call;
	if (withdrawn?.aborted) return { outcome: "cancelled" };
	const shown = { ...shownQuestion(run, elicitation), placeholder: "", callId };
	const asking = { runId: run.id, callId, kind: "elicitation", isRepeated, withdrawn } as const;
	const question = (): Question => ({ callId, prompt: promptOf(run, shown, ports) });
	const row = await askPerson(run, asking, question, ports.prompts);
	if (withdrawn?.aborted) return { outcome: "cancelled" };
	if (row?.answer?.kind === "value") return { outcome: "answered", value: row.answer.value };
	if (row?.state === "expired") return { outcome: "expired" };
	const reason = row?.answer?.kind === "cancelled" ? row.answer.reason : undefined;
	return { outcome: "cancelled", ...defined({ reason }) };
}

function labelOf({ row }: Run, label: string): string {
	const { delegated } = row.options;
	return delegated ? `[${visible(delegated.name)}] ${label}` : label;
}

function shownQuestion(run: Run, { validation, ...question }: Elicitation): Elicitation {
	const redactor = run.session.redactor.into("question");
	return {
		...question,
		label: redactor.redact(labelOf(run, question.label)),
		options: question.options.map((option) => ({
			...option,
			value: redactor.redact(option.value),
			label: redactor.redact(option.label),
			description: redactor.redact(option.description),
		})),
		// A pattern with a redacted part would refuse every answer.
		validation: redactor.redact(validation) === validation ? validation : "",
	};
}

async function raise(run: Run, question: Question, prompts: Prompts): Promise<Prompt> {
	await run.commit(({ tx, record }) => prompts.raise(tx, record, run.session.home, question));
	await run.reach("prompt-open");
	return question.prompt;
}
