import { fromRow, type Tx } from "../../store/journal.ts";
import type { PromptState } from "../../store/tables.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import type { Answer } from "../../vocabulary/prompt.ts";
import { type CallDecision, lastDecision, type Step } from "../../vocabulary/step.ts";
import { callsOf } from "../../vocabulary/transcript.ts";
import { explainTexts } from "./texts.ts";

/** A tool call with the reason why it ran or did not run. */
export interface ExplainedCall {
	readonly callId: string;
	readonly name: string;
	/**
	 * Decision about the call:
	 * - `allowed` by the policy or by trust
	 * - `approved` or `denied` by an answer
	 * - `refused`: the policy denied the call, the call was invalid, or the approval or the run ended first
	 * - `waiting` for an approval or for earlier calls
	 */
	readonly decision: "allowed" | "approved" | "denied" | "refused" | "waiting";
	/** Reason for the decision, as a text to show: for example the rule that decided, or the reason for a denial. */
	readonly reason: string;
	/** Principal that approved or denied the call. Absent if no principal answered. */
	readonly by?: string;
	/** `none` if the call did not run, or if the call is waiting for earlier calls of the same reply. */
	readonly outcome: "completed" | "failed" | "running" | "none";
}

interface Approval {
	readonly callId: string;
	readonly state: PromptState;
	readonly answer: Answer | undefined;
	readonly by: string | undefined;
}

const unknownReason = explainTexts.notRecorded;

/** Returns the decision and the result of each tool call of a run, in the model's order. */
export function explainCalls(
	steps: readonly Step[],
	approvals: readonly Approval[],
	ended: boolean,
): readonly ExplainedCall[] {
	const replies = steps.filter((step) => step.kind === "reply");
	return replies.flatMap(({ content }) => {
		let blocked = false;
		return callsOf(content).map((call) => {
			const own = approvals.findLast(({ callId }) => callId === call.id);
			const traces = tracesOf(call, steps);
			const decided = decisionOf(traces, own, ended);
			const outcome = blocked && !traces.result ? "none" : outcomeOf(traces, decided);
			blocked ||= decided.decision === "waiting" || (traces.intended && !traces.result);
			return { callId: call.id, name: call.name, ...decided, outcome };
		});
	});
}

/**
 * Returns the approval requests of a run, oldest first. `by` is the principal that answered, or undefined if no principal
 * answered.
 */
export async function findApprovals(db: Tx, sessionId: string, runId: string): Promise<Approval[]> {
	const rows = await db
		.selectFrom("prompts")
		.select(["token", "call_id", "state", "answer", "seq"])
		.where("run_id", "=", runId)
		.where("binding", "is not", null)
		.orderBy("seq")
		.execute();
	const [first] = rows;
	if (!first) return [];
	const answers = await db
		.selectFrom("events")
		.select("data")
		.where("session_id", "=", sessionId)
		.where("type", "=", "prompt.answered")
		.where("seq", ">", first.seq)
		.execute();
	const by = new Map(
		answers.map(({ data }) => {
			const answered = fromRow<{ readonly token: string; readonly by: string }>(data);
			return [answered.token, answered.by];
		}),
	);
	return rows.map((row) => ({
		callId: row.call_id,
		state: row.state,
		by: by.get(row.token),
		answer: row.answer === null ? undefined : fromRow<Answer>(row.answer),
	}));
}

interface Traces {
	readonly started: boolean;
	/**
	 * Last decision about the call. Undefined if the call has no `started` step, or if an earlier version of Parley
	 * recorded the step.
	 */
	readonly judged: CallDecision | undefined;
	readonly intended: boolean;
	readonly result: Extract<Step, { kind: "result" }> | undefined;
}

function tracesOf({ id }: CallBlock, steps: readonly Step[]): Traces {
	return {
		started: steps.some((step) => step.kind === "started" && step.callId === id),
		judged: lastDecision(steps, id),
		intended: steps.some((step) => step.kind === "intent" && step.callId === id),
		result: steps.filter((step) => step.kind === "result").find(({ callId }) => callId === id),
	};
}

type Decided = Pick<ExplainedCall, "decision" | "reason" | "by">;

function decisionOf(traces: Traces, approval: Approval | undefined, ended: boolean): Decided {
	const { started, judged, intended, result } = traces;
	const reason = judged?.reason ?? unknownReason;
	if (judged?.effect === "refuse") return { decision: "refused", reason };
	if (approval) return decisionOfPerson(approval, reason);
	if (!started) {
		return ended
			? { decision: "refused", reason: explainTexts.runEnded }
			: { decision: "waiting", reason: explainTexts.earlierCalls };
	}
	const ran = intended || result?.failed === false;
	if (judged?.effect === "ask" && !ran) {
		return result ? { decision: "refused", reason: explainTexts.runEnded } : { decision: "waiting", reason };
	}
	if (judged?.effect === "ask") {
		return { decision: "allowed", reason: explainTexts.allAccepted };
	}
	return { decision: judged || ran || !result ? "allowed" : "refused", reason };
}

function decisionOfPerson({ state, answer, by }: Approval, reason: string): Decided {
	const byFact = by !== undefined && { by };
	if (state === "open") return { decision: "waiting", reason };
	if (state === "expired") return { decision: "refused", reason: explainTexts.expired };
	if (state === "closed") return { decision: "refused", reason: explainTexts.endedBeforeAnswer };
	if (answer?.kind !== "denied") {
		const changed = answer?.kind === "approved" && answer.arguments !== undefined;
		return { decision: "approved", reason: changed ? explainTexts.withChanges(reason) : reason, ...byFact };
	}
	return { decision: "denied", reason: answer.reason === "" ? reason : answer.reason, ...byFact };
}

function outcomeOf({ result }: Traces, { decision }: Decided): ExplainedCall["outcome"] {
	if (decision !== "allowed" && decision !== "approved") return "none";
	if (result) return result.failed ? "failed" : "completed";
	return "running";
}
