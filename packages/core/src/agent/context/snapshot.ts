import type { ContextCompaction, ContextSnapshot } from "../../vocabulary/context-snapshot.ts";
import type { AssistantMessage, Message } from "../../vocabulary/message.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import type { Calibration } from "./calibration.ts";
import { difference, type Features, featuresOfMessage, featuresOfTools } from "./calibration.ts";
import type { PartCounts } from "./text-counts.ts";

export interface MeasuredRequest {
	readonly request: ModelRequest;
	/** Features of the request without its messages: the system prompt, the tools, and the request itself. */
	readonly fixed: Features;
	/** Number of messages in the request that belong to the current run. These messages are at the end of the request. */
	readonly ofRun: number;
	/** Tokens of the request, counted by the provider or the model's tokenizer, or estimated. */
	readonly tokens: number;
	/** Tokens of the parts, counted by the model's tokenizer. Undefined if a part has no count. */
	readonly counts: PartCounts | undefined;
	/** Tokens of the context window, and reserved tokens for a reply. */
	readonly window: number;
	readonly reply: number;
}

export interface Addition {
	/** The reply, if it belongs to the conversation. Its tokens are estimated if the provider counted none. */
	readonly reply: { readonly content: AssistantMessage["content"]; readonly tokens: number } | undefined;
	readonly compacted: readonly ContextCompaction[];
}

/**
 * Returns the snapshot of a request and its reply. The sizes of the request's parts add up to the size of the
 * request.
 */
export function snapshotOf(
	measured: MeasuredRequest,
	{ reply, compacted }: Addition,
	calibration: Calibration,
): ContextSnapshot {
	const { request, ofRun, window: known, reply: reserve } = measured;
	const weights = weightsOf(measured, calibration);
	const tokens = shares(Math.round(measured.tokens), weights);
	const [system = 0, tools = 0] = tokens;
	const first = request.messages.length - ofRun;
	const messages = request.messages.map(({ role }, index): ContextSnapshot["messages"][number] => {
		return { role, source: index < first ? "history" : "run", tokens: tokens[index + 2] ?? 0 };
	});
	if (reply) messages.push(ofReply(reply, calibration));
	let history = 0;
	let run = 0;
	for (const one of messages) {
		if (one.source === "history") history += one.tokens;
		else run += one.tokens;
	}
	const total = system + tools + history + run;
	const window = Math.max(known, total);
	const remaining = window - total;
	const reserved = Math.min(reserve, remaining);
	const { model } = request;
	const basis = measured.counts ? "tokenizer" : "estimate";
	return {
		model,
		window,
		system,
		tools,
		history,
		run,
		total,
		remaining,
		reserved,
		messages,
		basis,
		compacted,
	};
}

/** Returns unscaled tokens of the system prompt, the tools and each message. */
function weightsOf({ request, fixed, counts }: MeasuredRequest, calibration: Calibration): number[] {
	// Adds 1, because weights that are all 0 have no proportion.
	if (counts) return [counts.system + 1, counts.tools, ...counts.messages];
	const ofTools = featuresOfTools(request.tools);
	const weights = [calibration.tokensOf(difference(fixed, ofTools)), calibration.tokensOf(ofTools)];
	for (const message of request.messages) weights.push(calibration.tokensOf(featuresOfMessage(message)));
	return weights;
}

function ofReply(
	{ content, tokens: counted }: NonNullable<Addition["reply"]>,
	calibration: Calibration,
): ContextSnapshot["messages"][number] {
	const message: Message = { role: "assistant", content };
	const tokens = counted > 0 ? counted : Math.round(calibration.tokensOf(featuresOfMessage(message)));
	return { role: message.role, source: "run", tokens };
}

/** Divides `sum` in proportion to `weights`. Each whole number differs by at most 1 from its exact share. */
function shares(sum: number, weights: readonly number[]): number[] {
	const all = weights.reduce((total, weight) => total + weight, 0);
	let before = 0;
	let reached = 0;
	return weights.map((weight, index) => {
		reached += weight;
		const isLast = index === weights.length - 1;
		const until = isLast ? sum : Math.min(sum, Math.round((sum * reached) / all));
		const share = until - before;
		before = until;
		return share;
	});
}
