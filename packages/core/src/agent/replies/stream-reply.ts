import { type Clock, defined, ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import { costOf } from "../../models/table/model-table.ts";
import type { Tx } from "../../store/journal.ts";
import { normaliseCall } from "../../tools/calls/normalise-call.ts";
import { addToBudgets } from "../../usage/ledger.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import { type ModelRequest, type Reply, serverOf } from "../../vocabulary/model.ts";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import { phaseOf } from "../../vocabulary/run-options.ts";
import { textOf } from "../../vocabulary/transcript.ts";
import type { Usage } from "../../vocabulary/usage.ts";
import type { Contexts } from "../context/contexts.ts";
import { contextAfter, observeUsage } from "../context/fit-request.ts";
import type { SpendingPorts } from "../run/limits.ts";
import { reasonOf } from "../run/log-event.ts";
import type { ProviderHealth } from "../run/provider-health.ts";
import type { Run, Writing } from "../run/run.ts";
import type { ReplyListener } from "./live-reply.ts";
import { ReplyAccumulator } from "./reply-accumulator.ts";
import { replyTexts } from "./texts.ts";

export interface StreamPorts {
	readonly contexts: Contexts;
	/** State of each provider server, according to the model calls. */
	readonly health: ProviderHealth;
}

/**
 * Calls the model once and returns the attempt. Passes the reply to `listener` while the reply arrives. A failure
 * becomes part of the reply. Never rejects.
 */
export async function streamReply(
	run: Run,
	request: ModelRequest,
	listener: ReplyListener,
	{ contexts, health }: StreamPorts,
): Promise<Attempt> {
	const { clock } = run;
	const { model } = run.settings;
	const { provider } = serverOf(model, request.model);
	const facts = { model: request.model, provider, messages: request.messages.length };
	const { auxiliary } = listener;
	const ooda = auxiliary ? undefined : phaseOf(run.row.options, run.steps);
	run.session.bus.pass({
		type: "model.calling",
		runId: run.id,
		...facts,
		...defined({ auxiliary, ooda }),
	});
	const startedAt = clock.monotonic();
	let requestId: string | undefined;
	let firstMs: number | undefined;
	let counting: Promise<void> | undefined;
	const done = async (reply: Reply): Promise<Attempt> => {
		await counting;
		listener.end(reply, auxiliary || reply.failure ? undefined : contextAfter(run, contexts, request, reply));
		const attempt = { ...facts, reply, durationMs: clock.monotonic() - startedAt };
		logAttempt(run, attempt, { requestId, firstMs });
		return attempt;
	};
	const accumulator = new ReplyAccumulator({
		listener,
		redaction: run.session.redactor.into("reply").stream(),
		normalise: (call) => normaliseCall(run.settings.tools, call),
	});
	try {
		await run.reach("model-call");
		const answered = (id: string): void => {
			requestId = id;
		};
		for await (const event of model.stream(request, run.control.signal, answered)) {
			// The server now answers, so its tokenizer can count parts while the model writes the reply.
			if (!auxiliary) counting ??= contexts.texts.count(model, request, run.control.signal);
			if (event.type !== "started") firstMs ??= clock.monotonic() - startedAt;
			accumulator.add(event);
			const reached = event.type === "text" && run.reach("model-streaming");
			// Awaits only promises, because this code runs for every token.
			if (reached instanceof Promise) await reached;
		}
		const reply = accumulator.reply(accumulator.complete ? undefined : streamInterrupted());
		if (!reply.failure) {
			health.answered(serverOf(model, request.model), request.model);
			observeUsage(run, contexts, request, reply.usage);
		}
		return await done(reply);
	} catch (reason) {
		return await done(accumulator.reply(failureOf(run, request.model, reason, health)));
	}
}

/** Logs the usage and duration of an attempt. `firstMs`: milliseconds until the first part of the reply. */
function logAttempt(
	{ log }: Run,
	{ model, provider, messages, durationMs, reply }: Attempt,
	{ requestId, firstMs }: { readonly requestId: string | undefined; readonly firstMs: number | undefined },
): void {
	const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = reply.usage;
	log.info(replyTexts.modelCalled, {
		provider,
		model: reply.model || model,
		messages,
		durationMs: Math.round(durationMs),
		...defined({ firstMs: firstMs === undefined ? undefined : Math.round(firstMs), requestId }),
		inputTokens,
		outputTokens,
		cacheReadTokens,
		cacheWriteTokens,
		...reasonOf(reply.failure?.message ?? ""),
	});
}

function streamInterrupted(): ModelError {
	return new ModelError(replyTexts.interrupted, { fault: "interrupted" });
}

/**
 * Returns the error of a model call, without secrets. Reports a `ModelError` to `health`. A refused key is logged again
 * only after the state of the provider has changed.
 */
function failureOf(run: Run, name: string, reason: unknown, health: ProviderHealth): ParleyError {
	const error = withoutSecrets(run.session.redactor.into("error"), ParleyError.from(reason));
	const { log } = run;
	const { model } = run.settings;
	if (error.code === "internal") log.error(replyTexts.callFailed, { error: reason });
	if (!(error instanceof ModelError)) return error;
	const server = serverOf(model, name);
	const changed = health.failed(server, name, error);
	if (changed && error.fault === "unauthenticated") {
		log.warn(replyTexts.keyRefused, { provider: server.provider, reason: error.message });
	}
	return error;
}

interface TextSink {
	redact(text: string): string;
}

export function withoutSecrets(redactor: TextSink, error: ParleyError): ParleyError {
	const message = redactor.redact(error.message);
	if (message === error.message) return error;
	if (!(error instanceof ModelError)) return new ParleyError(message, { code: error.code, cause: error });
	const { fault, retryAfterMs, refusesContent } = error;
	return new ModelError(message, { fault, retryAfterMs, refusesContent, cause: error });
}

export interface Attempt {
	readonly model: string;
	readonly provider: string;
	readonly messages: number;
	readonly durationMs: number;
	readonly reply: Reply;
}

/** `id`: "" if there is no run. */
interface Caller {
	readonly id: string;
	readonly session: Session;
	readonly clock: Clock;
}

/**
 * Records the cost, the text and the failure of a model call. The reply of the call is not part of the conversation.
 */
export async function recordAttempt(
	run: Run,
	attempt: Attempt,
	writing: Writing,
	spending: SpendingPorts,
): Promise<void> {
	const { reply } = attempt;
	const { cost, events } = await countCall(run, attempt, writing.tx, spending);
	await writing.record(...events);
	const reason = reply.failure?.message ?? "";
	await writing.step({ kind: "spent", usage: reply.usage, cost, text: textOf(reply.content), reason });
}

/** `cost` is in billionths of a US dollar. */
interface CountedCall {
	readonly cost: number;
	readonly events: readonly RecordedEvent[];
}

/**
 * Adds the usage of a finished model call to the budgets. The caller records the returned events in the same
 * transaction.
 */
export async function countCall(
	run: Caller,
	attempt: Attempt,
	tx: Tx,
	{ table, budgets }: SpendingPorts,
): Promise<CountedCall> {
	const { model, provider, messages, durationMs, reply } = attempt;
	const answered = reply.model || model;
	const cost = costOf(table.find(answered, provider) ?? table.find(model, provider), reply.usage);
	const error = errorOf(reply);
	const facts = { model: answered, provider, usage: reply.usage, cost };
	const called = {
		type: "model.called",
		runId: run.id,
		...facts,
		messages,
		durationMs,
		error,
		...faultOf(reply),
	} as const;
	if (!isCounted(reply.usage)) return { cost, events: [called] };
	const at = run.clock.now();
	const { id: sessionId, task } = run.session;
	const charge = { sessionId, at, ...facts, ...defined({ accounts: task?.accounts }) };
	return { cost, events: [called, ...(await addToBudgets(tx, charge, budgets))] };
}

function faultOf({ failure }: Reply): { readonly fault?: ModelFault } {
	return failure instanceof ModelError ? { fault: failure.fault } : {};
}

function errorOf({ failure }: Reply): string {
	return failure?.code === "cancelled" ? "cancelled" : (failure?.message ?? "");
}

function isCounted({ inputTokens, outputTokens }: Usage): boolean {
	return inputTokens > 0 || outputTokens > 0;
}
