import { type Clock, ParleyError } from "@parley/base";
import type { RecordEvents } from "../../conversation/commit.ts";
import type { Session } from "../../conversation/session.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import { normaliseCall } from "../../tools/calls/normalise-call.ts";
import { refuseWhenSpent } from "../../usage/ledger.ts";
import { type Model, type ModelRequest, serverOf } from "../../vocabulary/model.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import type { SpendingPorts } from "../run/limits.ts";
import { silentListener } from "./live-reply.ts";
import { ReplyAccumulator } from "./reply-accumulator.ts";
import { type Attempt, countCall, withoutSecrets } from "./stream-reply.ts";
import { replyTexts } from "./texts.ts";

/** Session and ports of a model call. The reply of the call is not streamed to clients. */
export interface SessionCaller extends SpendingPorts {
	readonly session: Session;
	readonly journal: Journal;
	readonly clock: Clock;
	readonly signal: AbortSignal;
}

/** Throws `resource_exhausted` if a budget is spent, or if a budget is set and the model has no price. */
export async function requireBudget(
	{ session, journal, clock, table, budgets }: Omit<SessionCaller, "signal">,
	{ provider }: Model,
	name: string,
): Promise<void> {
	const limited = await refuseWhenSpent(journal.store, session.id, clock.now(), budgets);
	if (!limited || provider === "offline" || table.find(name, provider)?.prices) return;
	throw new ParleyError(replyTexts.noPrice(name), {
		code: "resource_exhausted",
	});
}

/**
 * Calls the model once and returns the attempt, without streaming the reply to clients. A failure becomes part
 * of the reply. Redacted secrets are counted under the name `sink`. Never rejects.
 */
export async function callForSession(
	{ session, signal, clock }: SessionCaller,
	model: Model,
	request: ModelRequest,
	sink: string,
): Promise<Attempt> {
	const startedAt = clock.monotonic();
	const accumulator = new ReplyAccumulator({
		listener: silentListener,
		redaction: session.redactor.into(sink).stream(),
		// The request has no tools.
		normalise: (call) => normaliseCall([], call),
	});
	let failure: ParleyError | undefined;
	try {
		for await (const event of model.stream(request, signal)) accumulator.add(event);
		if (!accumulator.complete) failure = new ModelError(replyTexts.interrupted, { fault: "interrupted" });
	} catch (reason) {
		failure = withoutSecrets(session.redactor, ParleyError.from(reason));
	}
	const { provider } = serverOf(model, request.model);
	const facts = { model: request.model, provider, messages: request.messages.length };
	return { ...facts, reply: accumulator.reply(failure), durationMs: clock.monotonic() - startedAt };
}

export async function recordSessionCall(
	{ session, clock, table, budgets }: Omit<SessionCaller, "signal">,
	attempt: Attempt,
	{ tx, record }: { readonly tx: Tx; readonly record: RecordEvents },
): Promise<void> {
	const { usage } = attempt.reply;
	const { events } = await countCall({ id: "", session, clock }, attempt, tx, { table, budgets });
	await record(...events);
	await tx
		.updateTable("sessions")
		.set((eb) => ({
			input_tokens: eb("input_tokens", "+", usage.inputTokens),
			output_tokens: eb("output_tokens", "+", usage.outputTokens),
		}))
		.where("id", "=", session.id)
		.execute();
}
