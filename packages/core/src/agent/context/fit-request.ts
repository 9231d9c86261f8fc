import { type Logger, ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Journal } from "../../store/journal.ts";
import type { ContextSnapshot } from "../../vocabulary/context-snapshot.ts";
import type { Message } from "../../vocabulary/message.ts";
import type { Model, ModelRequest, Reply } from "../../vocabulary/model.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import type { Usage } from "../../vocabulary/usage.ts";
import type { Estimate } from "./calibration.ts";
import { type Features, featuresOfMessages, sumOf } from "./calibration.ts";
import { type CompactionJob, compact, summariseAll } from "./compact.ts";
import type { Contexts } from "./contexts.ts";
import { replyRoom, roomOf } from "./room.ts";
import type { SessionContext } from "./session-context.ts";
import { snapshotOf } from "./snapshot.ts";
import type { WriteText } from "./summarise.ts";
import type { PartCounts } from "./text-counts.ts";
import { viewedOfLast, viewOf } from "./view.ts";

/** Origin of a request: a `Run`, or an idle session, for which `id` is "". */
export interface Asker {
	readonly id: string;
	readonly session: Session;
	readonly contexts: Contexts;
	readonly journal: Journal;
	readonly log: Logger;
	readonly signal: AbortSignal;
	readonly settings: {
		readonly model: Model;
		/** Maximum tokens of input and output together. */
		readonly contextWindow: number;
		/** Maximum tokens of one reply. */
		readonly maxOutput: number;
		/** Tokens of a request above which older parts are compacted, even if the request fits the window. */
		readonly compactAbove?: number;
	};
}

interface Calling {
	readonly session: Session;
	readonly settings: { readonly model: Model };
}

type Parts = Omit<ModelRequest, "messages">;

/** Share of the available room above which a request may need an exact count by the provider. */
const countFrom = 0.7;
/** Maximum margin of a sufficiently exact estimate, as a share of the available room. */
const exactEnough = 0.01;

/**
 * Builds a request that fits the window of the model, with room for the reply. If necessary, compacts older parts of
 * the transcript. The compaction is recorded and applies to every later request of the session. `write` requests a
 * summary from the same model. Throws `resource_exhausted` if no compaction is sufficient.
 */
export async function fitRequest(
	asker: Asker,
	parts: Parts,
	transcript: readonly RunTranscript[],
	write: WriteText,
): Promise<ModelRequest> {
	const context = await contextFor(asker, parts, transcript);
	const request = requestOf(asker, parts, viewOf(transcript, context.reductions));
	const size = await measure(asker, context, request);
	place(asker, context, { parts, ofRun: viewedOfLast(transcript, context.reductions) });
	const sized = { parts, transcript, size, write };
	if (fits(asker, size, request)) {
		if (!isAboveThreshold(asker, context, size)) return withLongestReply(asker, parts, { request, size });
		await compactToThreshold(asker, context, sized);
	} else await compact(jobOf(asker, context, sized));
	const fitted = requestOf(asker, parts, viewOf(transcript, context.reductions));
	place(asker, context, { parts, ofRun: viewedOfLast(transcript, context.reductions) });
	return withLongestReply(asker, parts, { request: fitted, size: estimate(asker, context, fitted) });
}

function isAboveThreshold({ settings }: Asker, context: SessionContext, { tokens }: Size): boolean {
	const { compactAbove } = settings;
	return compactAbove !== undefined && tokens > Math.max(compactAbove, context.nextThreshold);
}

/** Factor by which a request that stayed above the threshold must grow before it is compacted again. */
const growth = 1.25;

/**
 * Compacts the context to the threshold `compactAbove`. The request stays larger if instructions, tools or the
 * newest parts alone exceed the threshold.
 */
async function compactToThreshold(asker: Asker, context: SessionContext, sized: Sized): Promise<void> {
	const { parts, transcript } = sized;
	const { compactAbove = 0, contextWindow } = asker.settings;
	const window = Math.min(contextWindow, compactAbove + replyOf(asker, parts));
	try {
		await compact(jobOf(asker, context, sized, window));
	} catch (reason) {
		if (ParleyError.from(reason).code !== "resource_exhausted") throw reason;
	}
	const { tokens } = estimate(
		asker,
		context,
		requestOf(asker, parts, viewOf(transcript, context.reductions)),
	);
	context.nextThreshold = tokens > compactAbove ? tokens * growth : 0;
}

/**
 * Improves the estimates with the input tokens that the provider counted. Has no effect if the provider reported no
 * input tokens, or if the request is not the newest request of the session.
 */
export function observeUsage(
	{ session, settings }: Calling,
	contexts: Contexts,
	request: ModelRequest,
	usage: Usage,
): void {
	const tokens = usage.inputTokens;
	if (tokens <= 0) return;
	const calibration = contexts.calibration(settings.model.provider, request.model);
	const context = contexts.known(session);
	const fitted = context?.fitted(request.messages);
	if (!context || !fitted) return;
	const counted = { features: fitted.features, tokens };
	if (context.anchorAt(request.model, counted, calibration)) calibration.compare(fitted.tokens, tokens);
}

function place(
	asker: Asker,
	context: SessionContext,
	{ parts, ofRun }: { readonly parts: Parts; readonly ofRun: number },
): void {
	context.placed = { ofRun, window: asker.settings.contextWindow, reply: replyOf(asker, parts) };
}

/**
 * Returns the context after a request and, if given, its reply. Returns undefined if the request is not the newest
 * request of the session.
 */
export function contextAfter(
	{ session, settings }: Calling,
	contexts: Contexts,
	request: ModelRequest,
	reply?: Reply,
): ContextSnapshot | undefined {
	const context = contexts.known(session);
	const fitted = context?.fitted(request.messages);
	if (!context?.placed || !fitted) return undefined;
	const { inputTokens = 0, outputTokens = 0 } = reply?.usage ?? {};
	const counts = contexts.texts.of(request);
	const tokens = inputTokens > 0 ? inputTokens : counts ? sumOfParts(counts) : fitted.tokens;
	const measured = { ...context.placed, request, tokens, counts, fixed: context.fixed(request) };
	const added =
		reply && belongsToConversation(reply) ? { content: reply.content, tokens: outputTokens } : undefined;
	const calibration = contexts.calibration(settings.model.provider, request.model);
	return snapshotOf(measured, { reply: added, compacted: context.drainUnlisted() }, calibration);
}

function sumOfParts({ system, tools, messages }: PartCounts): number {
	return messages.reduce((sum, tokens) => sum + tokens, system + tools);
}

function belongsToConversation({ content, stop }: Reply): boolean {
	return content.length > 0 && stop !== "refusal";
}

export interface Compacted {
	readonly tokensBefore: number;
	readonly tokensAfter: number;
	readonly messagesBefore: number;
	readonly messagesAfter: number;
	/** Summary that replaces all earlier messages for the model. */
	readonly summary: string;
}

/**
 * Replaces the transcript of an idle session with a summary. Returns the summary, and the sizes before and
 * after. `instruction` describes the required content of the summary. Returns undefined if the transcript has no
 * message after the last summary. Throws if the model writes no summary.
 */
export async function compactNow(
	asker: Asker,
	parts: Parts,
	transcript: readonly RunTranscript[],
	{ write, instruction }: { readonly write: WriteText; readonly instruction?: string },
): Promise<Compacted | undefined> {
	const context = await contextFor(asker, parts, transcript);
	const request = requestOf(asker, parts, viewOf(transcript, context.reductions));
	if (request.messages.length <= (context.reductions.summary ? 1 : 0)) return undefined;
	const size = estimate(asker, context, request);
	await summariseAll(jobOf(asker, context, { parts, transcript, size, write }), instruction);
	const after = requestOf(asker, parts, viewOf(transcript, context.reductions));
	const { tokens } = estimate(asker, context, after);
	place(asker, context, { parts, ofRun: 0 });
	const snapshot = contextAfter(asker, asker.contexts, after);
	if (snapshot) asker.session.bus.pass({ type: "context.updated", runId: asker.id, ...snapshot });
	const [note] = context.reductions.summary?.message.content ?? [];
	return {
		tokensBefore: Math.round(size.tokens),
		tokensAfter: Math.round(tokens),
		messagesBefore: request.messages.length,
		messagesAfter: after.messages.length,
		summary: note?.type === "text" ? note.text : "",
	};
}

async function contextFor(
	{ session, settings, contexts }: Asker,
	parts: Parts,
	transcript: readonly RunTranscript[],
): Promise<SessionContext> {
	const context = await contexts.of(session);
	context.recall(parts, transcript, contexts.calibration(settings.model.provider, parts.model));
	return context;
}

/**
 * Returns the request with the requested maximum reply length if that length fits the window, otherwise with the
 * reserved length. No other limit is used, because a changed limit changes the thinking budget and so invalidates
 * cached messages.
 */
function withLongestReply(
	{ settings }: Asker,
	parts: Parts,
	{ request, size }: { readonly request: ModelRequest; readonly size: Size },
): ModelRequest {
	const requested = requestedReply(settings.maxOutput, parts);
	if (size.tokens + size.margin + requested > settings.contextWindow) return request;
	const { sampling: _, ...rest } = request;
	return parts.sampling ? { ...rest, sampling: parts.sampling } : rest;
}

function requestOf(asker: Asker, parts: Parts, messages: readonly Message[]): ModelRequest {
	const requested = requestedReply(asker.settings.maxOutput, parts);
	const reply = replyRoom(asker.settings.contextWindow, requested);
	return reply === requested
		? { ...parts, messages }
		: { ...parts, messages, sampling: { ...parts.sampling, maxTokens: reply } };
}

function replyOf(asker: Asker, parts: Parts): number {
	return replyRoom(asker.settings.contextWindow, requestedReply(asker.settings.maxOutput, parts));
}

function requestedReply(maxOutput: number, { sampling }: Parts): number {
	return sampling?.maxTokens ?? maxOutput;
}

type Size = Estimate & { readonly features: Features };

function estimate(asker: Asker, context: SessionContext, request: ModelRequest): Size {
	const calibration = asker.contexts.calibration(asker.settings.model.provider, request.model);
	return context.estimate(request, calibration);
}

function limitOf(asker: Asker, parts: Parts): number {
	return asker.settings.contextWindow - replyOf(asker, parts);
}

function fits(asker: Asker, size: Size, parts: Parts): boolean {
	return size.tokens + size.margin <= limitOf(asker, parts);
}

/** Whether an exact count could change the decision about the size. */
function needsCount(asker: Asker, size: Size, parts: Parts): boolean {
	const limit = limitOf(asker, parts);
	return size.tokens + size.margin > limit * countFrom && size.margin > limit * exactEnough;
}

async function measure(asker: Asker, context: SessionContext, request: ModelRequest): Promise<Size> {
	const { contexts, signal, settings } = asker;
	const size = estimate(asker, context, request);
	if (!needsCount(asker, size, request)) return size;
	const tokens = await contexts.counts.count(settings.model, request, signal);
	if (tokens === undefined) return size;
	const calibration = contexts.calibration(settings.model.provider, request.model);
	context.anchorAt(request.model, { features: size.features, tokens }, calibration);
	return { tokens, margin: 0, features: size.features };
}

interface Sized {
	readonly parts: Parts;
	readonly transcript: readonly RunTranscript[];
	readonly size: Size;
	readonly write: WriteText;
}

function jobOf(
	asker: Asker,
	context: SessionContext,
	sized: Sized,
	window: number = asker.settings.contextWindow,
): CompactionJob {
	const { id: runId, session, contexts, journal, log, signal, settings } = asker;
	const { parts, transcript, size, write } = sized;
	const calibration = contexts.calibration(settings.model.provider, parts.model);
	const tokensOf = (features: Features): number => calibration.estimate(features).tokens;
	// The size of the current request corrects the general estimates for the model.
	const requestEstimate = calibration.estimate(size.features);
	const safe =
		((size.tokens + size.margin) / requestEstimate.tokens) *
		(1 + requestEstimate.margin / requestEstimate.tokens / 2);
	const plain = size.tokens / requestEstimate.tokens;
	const fixed = tokensOf(context.fixed(parts)) * safe;
	return {
		runId,
		session,
		journal,
		log,
		signal,
		context,
		transcript,
		write,
		room: roomOf(window, replyOf(asker, parts), fixed),
		tokensOf: (messages) => tokensOf(sumOf([context.fixed(parts), featuresOfMessages(messages)])) * plain,
		safeTokensOf: (messages) => tokensOf(featuresOfMessages(messages)) * safe,
	};
}
