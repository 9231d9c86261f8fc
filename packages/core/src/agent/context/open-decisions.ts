import type { Store } from "@parley/base";
import canonicalize from "canonicalize";
import { fromRow } from "../../store/journal.ts";
import type { PromptState, Tables } from "../../store/tables.ts";
import type { CallBlock, ResultBlock } from "../../vocabulary/message.ts";
import type { Answer } from "../../vocabulary/prompt.ts";
import { interrupted } from "../../vocabulary/step.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import { cutLine } from "./shorten.ts";
import { isBefore, type Position } from "./view.ts";

export interface CallQuestion {
	readonly callId: string;
	readonly state: PromptState;
	readonly answer: Answer | undefined;
}

/** Returns all questions and approvals that calls of the session raised, oldest first. */
export async function readQuestions(store: Store<Tables>, sessionId: string): Promise<CallQuestion[]> {
	const rows = await store.read((db) =>
		db
			.selectFrom("prompts")
			.select(["call_id", "state", "answer"])
			.where("run_id", "in", db.selectFrom("runs").select("id").where("session_id", "=", sessionId))
			.orderBy("seq")
			.execute(),
	);
	return rows.map(({ call_id, state, answer }) => ({
		callId: call_id,
		state,
		answer: answer === null ? undefined : fromRow<Answer>(answer),
	}));
}

/**
 * Returns the open decisions of calls before `end`, one line each, oldest first. The following decisions are open:
 *
 * - questions and approvals without an answer
 * - denied calls
 * - calls with an unknown outcome
 *
 * A decision is closed if a later call on the same subject got an answer or a successful result.
 */
export function openDecisions(
	transcript: readonly RunTranscript[],
	questions: readonly CallQuestion[],
	end: Position,
): string[] {
	const byCall = new Map(questions.map((question) => [question.callId, question]));
	const open = new Map<string, string>();
	for (const { call, result, at } of callsIn(transcript)) {
		const question = byCall.get(call.id);
		const left = result && leftOpen(call, result, question);
		const subject = subjectOf(call);
		if (left !== undefined || settles(result, question)) open.delete(subject);
		if (left !== undefined && isBefore(at, end)) open.set(subject, left);
	}
	return [...open.values()];
}

interface PlacedCall {
	readonly call: CallBlock;
	readonly result: ResultBlock | undefined;
	readonly at: Position;
}

function callsIn(transcript: readonly RunTranscript[]): PlacedCall[] {
	return transcript.flatMap(({ ordinal, messages }) =>
		messages.flatMap((message, index) => {
			if (message.role !== "assistant") return [];
			const next = messages[index + 1];
			const results = next?.role === "tool" ? next.content : [];
			return message.content.flatMap((block) => {
				if (block.type !== "call") return [];
				const result = results.find(({ callId }) => callId === block.id);
				return [{ call: block, result, at: { run: ordinal, message: index } }];
			});
		}),
	);
}

/**
 * Returns a line about the decision that a call left open, or undefined. The line quotes the result of the call. This
 * result contains the person's answer in the form that the model may read.
 */
function leftOpen(
	call: CallBlock,
	{ text, failed }: ResultBlock,
	question?: CallQuestion,
): string | undefined {
	const description = `${describeCall(call)} (${cutLine(text, 300)})`;
	if (failed && text.startsWith(interrupted)) return `outcome unknown: ${description}`;
	if (question?.answer?.kind === "denied") return `denied: ${description}`;
	const unanswered = question?.state === "expired" || question?.state === "closed";
	return unanswered || question?.answer?.kind === "cancelled" ? `no answer: ${description}` : undefined;
}

function settles(result: ResultBlock | undefined, question: CallQuestion | undefined): boolean {
	return result?.failed === false || question?.state === "answered" || question?.state === "consumed";
}

/**
 * Returns the subject of a call: its question, or its name and arguments. A later call with the same subject can
 * close the decision: see `openDecisions`.
 */
function subjectOf({ name, arguments: args }: CallBlock): string {
	const label = questionIn(name, args);
	return label === undefined ? `${name} ${canonicalize(args)}` : `${name} ${label.trim().toLowerCase()}`;
}

function describeCall({ name, arguments: args }: CallBlock): string {
	const label = questionIn(name, args);
	return label === undefined
		? `${name} ${cutLine(JSON.stringify(args ?? {}), 200)}`
		: `the question "${cutLine(label, 300)}"`;
}

function questionIn(name: string, args: unknown): string | undefined {
	if (name !== "ask_user" || typeof args !== "object" || args === null) return undefined;
	return "label" in args && typeof args.label === "string" ? args.label : undefined;
}
