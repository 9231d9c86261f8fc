import { defined } from "@parley/base";
import { bytesOf } from "../../files/images.ts";
import { type DescribeGap, outputLimits, shortenOutput } from "../../text/shorten-output.ts";
import { auditedCall, byItself } from "../../trust/audit/audit.ts";
import type { ImageFacts, TrustBadge } from "../../vocabulary/event.ts";
import type { CallBlock, ImageBlock } from "../../vocabulary/message.ts";
import type { CallDecision } from "../../vocabulary/step.ts";
import type { ActionClass } from "../../vocabulary/taint.ts";
import type { ToolResult } from "../../vocabulary/tool.ts";
import type { Run, Writing } from "../run/run.ts";
import type { ApprovedCall, PlannedCall, SettledCall } from "./call-states.ts";
import { callTexts } from "./texts.ts";

/** Records the result of a call that did not run. Announces the call first if necessary. */
export async function settleCall(run: Run, call: CallBlock, result: ToolResult): Promise<undefined> {
	const settled = withoutRun(run, call, result);
	await run.commit((writing) => recordResult(run, settled, writing));
}

/** Returns the result of a call that did not run, without secrets and within the limits of a result. */
export function withoutRun({ session }: Run, call: CallBlock, result: ToolResult): SettledCall {
	const text = session.redactor.into("tool").redact(result.text);
	const note = adjustedNote(call);
	const forModel = shortenOutput(text, leftOut, outputLimits.characters - note.length - 1);
	return { call, result: { ...result, text: withNote(text, note) }, forModel: withNote(forModel, note) };
}

export function adjustedNote({ adjusted = [] }: CallBlock): string {
	if (adjusted.length === 0) return "";
	const listed = adjusted.slice(0, maxNotes).join("; ");
	const more = adjusted.length > maxNotes ? `; and ${adjusted.length - maxNotes} more` : "";
	return callTexts.adjusted(listed, more);
}

export function withNote(text: string, note: string): string {
	return note === "" || text.endsWith("\n") ? text + note : `${text}\n${note}`;
}

const maxNotes = 10;

const leftOut: DescribeGap = ({ characters, lines }) => callTexts.leftOut(characters, lines);

/**
 * Records the result of one call: the step for the model, the event for clients, and the audit entry of an audited
 * call.
 */
export async function recordResult(
	run: Run,
	{ call, result, forModel, durationMs }: SettledCall,
	writing: Writing,
): Promise<void> {
	const { record, step } = writing;
	const { text } = result;
	const facts = { runId: run.id, callId: call.id, name: call.name };
	if (!run.steps.some((known) => known.kind === "started" && known.callId === call.id)) {
		await recordStart(run, { call, decision: refusedFor(run, result) }, writing);
	}
	const { failed } = result;
	// Providers accept only text in the result of a failed call.
	const shown = failed ? [] : (result.images ?? []);
	const images = shown.length > 0 && { pictures: shown };
	const { later } = result;
	await step({
		kind: "result",
		callId: call.id,
		text: forModel,
		failed,
		...images,
		...defined({ later }),
	});
	const decision = durationMs === undefined ? "unknown" : failed ? "failed" : "completed";
	await auditFinish(run, writing, { callId: call.id, decision });
	const took = defined({ durationMs });
	const seen = images && { pictures: shown.map(shownFacts) };
	if (failed) await record({ type: "tool.failed", ...facts, error: text, ...took });
	else await record({ type: "tool.completed", ...facts, result: later ?? text, ...seen, ...took });
}

export function refusedFor({ policy }: Run, { text }: ToolResult): CallDecision {
	return { effect: "refuse", reason: firstLine(text), policy: policy.version };
}

function shownFacts(image: ImageBlock): ImageFacts {
	return { mediaType: image.mediaType, bytes: bytesOf(image) };
}

/**
 * Records the decision about a call, and announces the call to clients. The caller must call this function only once
 * for each tool call.
 */
export async function recordStart(
	run: Run,
	{
		call,
		decision,
		trusted,
	}: { readonly call: CallBlock; readonly decision: CallDecision; readonly trusted?: TrustBadge },
	{ record, step }: Writing,
): Promise<void> {
	await step({ kind: "started", callId: call.id, decision });
	const shown = run.session.redactor.redactFields(call.arguments);
	await record({
		type: "tool.started",
		runId: run.id,
		callId: call.id,
		name: call.name,
		arguments: shown,
		...defined({ trusted }),
	});
}

function firstLine(text: string): string {
	return text.split("\n", 1)[0]?.slice(0, 500) ?? "";
}

const unaudited: readonly ActionClass[] = ["read", "person", "memory-read"];

/**
 * Whether a call belongs in the audit log. A call that only reads or asks a person does not, unless the call had an
 * approval.
 */
export function isGated({ ready, token }: ApprovedCall): boolean {
	return token !== undefined || ready.plan.classes.some((name) => !unaudited.includes(name));
}

interface Origin {
	readonly principal: string;
	readonly via: string;
}

function originOf(run: Run): Origin {
	return { principal: run.row.actor?.id ?? run.session.owner, via: byItself.via };
}

function auditedFacts({ call, ready, changed = call.arguments }: PlannedCall): object {
	const { classes } = ready.plan;
	const { sandbox } = ready.plan.binding;
	return { tool: call.name, classes, ...defined({ sandbox }), arguments: changed };
}

/** Records in the audit log that a call was denied by its judgement. */
export async function auditDenial(run: Run, { audit }: Writing, planned: PlannedCall): Promise<void> {
	await audit({
		...originOf(run),
		action: "tool.start",
		decision: "denied",
		object: auditedCall(run.session.home.id, planned.call.id),
		args: auditedFacts(planned),
	});
}

/** Records the start of a call in the audit log, in the transaction that records the start and uses the approval. */
export async function auditStart(run: Run, { audit }: Writing, entry: ApprovedCall): Promise<void> {
	const object = auditedCall(run.session.home.id, entry.call.id);
	const wasApproved = entry.token !== undefined;
	if (wasApproved) await audit({ ...byItself, action: "approval.consume", object, decision: "consumed" });
	const accepted = !wasApproved && run.trusted ? run.session.trust?.id : undefined;
	const trusted = entry.trusted?.grantId ?? accepted;
	await audit({
		...originOf(run),
		action: "tool.start",
		object,
		decision: wasApproved ? "approved" : "allowed",
		...defined({ grantId: trusted }),
		args: auditedFacts(entry),
	});
}

/**
 * Records the end of an audited call in the audit log. `unknown`: the gateway stopped, or the call was abandoned
 * before its result.
 */
async function auditFinish(
	run: Run,
	{ audit }: Writing,
	{ callId, decision }: { readonly callId: string; readonly decision: "completed" | "failed" | "unknown" },
): Promise<void> {
	const hasIntent = run.steps.some((step) => step.kind === "intent" && step.callId === callId && step.gated);
	if (!hasIntent) return;
	const object = auditedCall(run.session.home.id, callId);
	await audit({ ...originOf(run), action: "tool.finish", object, decision });
}
