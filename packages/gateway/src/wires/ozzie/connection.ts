import { type Logger, ParleyError } from "@parley/base";
import { type PersonCheck, type Principal, type Prompt, requestedBy } from "@parley/core";
import type { ResponseFrame } from "@parley/protocol";
import type { WireCounts } from "../../metrics/client-metrics.ts";
import { type ErrorRedactor, shownError } from "../shared/error-text.ts";
import type { RateLimit } from "../shared/rate-limit.ts";
import { isWireEvent } from "../shared/wire-event.ts";
import { PromptQueue } from "../view/prompt-queue.ts";
import { SessionView } from "../view/session-view.ts";
import { decodeRequest, encodeFailure, encodeSuccess, type OzzieEvent } from "./codec.ts";
import { type FrameShape, isGoOpening, type RequestedEnvelope } from "./envelope.ts";
import { hideToken } from "./hidden-tokens.ts";
import { answerRequest } from "./methods/handlers.ts";
import { settleUnread } from "./methods/prompts.ts";
import type { HandlerContext, JoinedSession, MethodDeps } from "./methods/request.ts";
import { actingPrincipal } from "./methods/request.ts";
import type { RefusedFrame, Request } from "./schema.ts";

/** Maximum number of waiting requests per connection. At the maximum, the connection is not read. */
export const maxPending = 32;

/**
 * Maximum number of events that wait until all requests have responses. If more events wait, they are sent between
 * two responses.
 */
const maxDelayed = 256;

/** Output to one client. Accepts frames in order and never blocks. */
export interface Outgoing {
	response(frame: ResponseFrame): void;
	event(event: OzzieEvent): void;
	/** Resolves when the client can receive more of a replay, or has disconnected. */
	drained(): Promise<void>;
	close(code: number, reason: string): void;
	reading(on: boolean): void;
	/** Sets the envelope of later frames; `flat` by default. */
	shape(envelope: FrameShape): void;
}

export interface OzzieConnectionDeps extends MethodDeps {
	readonly log: Logger;
	readonly rateLimit: RateLimit;
	readonly out: Outgoing;
	readonly envelope?: RequestedEnvelope;
	readonly counts?: WireCounts | undefined;
	readonly redactor?: ErrorRedactor | undefined;
}

/**
 * One client. Requests are answered one after the other, except a connector's reports about people. Events of sessions
 * wait for the responses, up to `maxDelayed`, because existing clients expect the next frame to be a response.
 */
export class OzzieConnection implements HandlerContext {
	readonly deps: OzzieConnectionDeps;
	readonly #views = new Map<string, SessionView>();
	#current: string | undefined;
	/**
	 * Key of this connection in the rate limit while it has no current session. A symbol, because the rate limit may
	 * outlive the connection.
	 */
	readonly #unnamed = Symbol("a connection without a session");
	readonly #pending: { readonly id: string | undefined; readonly work: () => Promise<ResponseFrame> }[] = [];
	readonly #inFlight = new Set<string>();
	#envelope: RequestedEnvelope;
	#prompts: PromptQueue | undefined;
	#isShowScheduled = false;
	#waiting: OzzieEvent[] | undefined;
	/**
	 * Promise that resolves when delayed events are sent. Created on demand, because most connections never need it.
	 */
	#released: PromiseWithResolvers<void> | undefined;
	#working: Promise<void> | undefined;
	/** Joined sessions whose replay starts after the current response. */
	#joined: SessionView[] = [];
	#finishing = false;
	#closed = false;
	/** Stops the person checks; undefined unless the client is a connector. */
	readonly #stopChecks: (() => void) | undefined;

	constructor(deps: OzzieConnectionDeps) {
		this.deps = deps;
		this.#envelope = deps.envelope ?? "flat";
		if (this.#envelope === "both") this.#shapeBoth();
		const { principal, runtime } = deps;
		if (principal.kind === "connector") {
			this.#stopChecks = runtime.trust.checks.listen(principal, (check) => this.#sendCheck(check));
		}
	}

	get envelope(): FrameShape {
		return this.#envelope === "both" ? "both" : "flat";
	}

	get current(): string | undefined {
		return this.#current;
	}

	receive(text: string): void {
		if (this.#closed || this.#finishing) return;
		if (this.#envelope === "first frame") this.#detectClient(text);
		const decoded = decodeRequest(text);
		if (decoded.kind === "refused") this.#enqueue(decoded.id, () => this.#refuse(decoded));
		else if (this.#inFlight.has(decoded.request.id)) {
			const { id } = decoded.request;
			const reason = new ParleyError("duplicate id", { code: "failed_precondition" });
			this.#enqueue(undefined, async () => encodeFailure(id, reason));
		} else {
			const { request } = decoded;
			this.#inFlight.add(request.id);
			const isReport = request.method === "report_person" && this.#stopChecks !== undefined;
			if (isReport) void this.#answerAtOnce(request);
			else this.#enqueue(request.id, () => this.#answer(request));
		}
	}

	/** Answers a connector's report out of order, because the request before it may wait for the report. */
	async #answerAtOnce(request: Request): Promise<void> {
		const response = await this.#answer(request);
		this.#inFlight.delete(request.id);
		if (!this.#closed) this.deps.out.response(response);
	}

	openPrompt(token: string): Prompt | undefined {
		return this.#prompts?.find(token)?.prompt;
	}

	repeatPrompt(token: string, label: string): boolean {
		const question = this.#prompts?.find(token);
		if (!question || !this.#prompts?.mayRepeat(token)) return false;
		const { sessionId, prompt } = question;
		const seq = this.#views.get(sessionId)?.seq ?? 0;
		const event = { type: "prompt.shown", prompt: { ...prompt, label } } as const;
		this.#deliver({ transient: true, sessionId, seq, event });
		return true;
	}

	target(request: Request): SessionView | undefined {
		const id = request.sessionId ?? this.#current;
		const view = id === undefined ? undefined : this.#views.get(id);
		if (id === undefined || view) return view;
		throw new ParleyError(`session not found: ${id}`, { code: "not_found" });
	}

	async join(sessionId: string, afterSeq: number | undefined, replace: boolean): Promise<JoinedSession> {
		const known = afterSeq === undefined ? this.#views.get(sessionId) : undefined;
		const view = known ?? (await this.#follow(sessionId, afterSeq));
		const lastSeq = known ? known.seq : view.lastSeq;
		const left = replace && this.#current !== sessionId ? this.#current : undefined;
		if (replace || this.#current === undefined) this.#current = sessionId;
		if (left !== undefined) await this.#leave(left);
		if (this.#closed) await this.#leave(sessionId);
		return { view, lastSeq };
	}

	/** Accepts no further requests and person checks. Resolves when all waiting requests have responses. */
	async finish(): Promise<void> {
		this.#finishing = true;
		this.#stopChecks?.();
		await this.#working;
	}

	/** Drops waiting requests, and accepts no further requests. Resolves when the current request has its response. */
	async abandon(): Promise<void> {
		this.#pending.length = 0;
		await this.finish();
	}

	/** Ends the connection. Runs in its sessions continue. */
	async close(): Promise<void> {
		this.#closed = true;
		this.#stopChecks?.();
		await this.#working;
		this.#sendDelayed();
		await Promise.all([...this.#views.keys()].map((id) => this.#leave(id)));
	}

	/** Sets the envelope according to the client's first frame, before any frame is sent to the client. */
	#detectClient(text: string): void {
		if (!isGoOpening(text)) {
			this.#envelope = "flat";
			return;
		}
		this.#shapeBoth();
		this.deps.log.info("an Ozzie client was recognised and gets both envelopes", {
			principal: this.deps.principal.id,
		});
	}

	#shapeBoth(): void {
		this.#envelope = "both";
		this.#prompts = new PromptQueue();
		this.deps.out.shape("both");
	}

	#enqueue(id: string | undefined, work: () => Promise<ResponseFrame>): void {
		this.#pending.push({ id, work });
		if (this.#pending.length >= maxPending) this.deps.out.reading(false);
		this.#working ??= this.#work();
	}

	async #work(): Promise<void> {
		for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
			this.#waiting ??= [];
			const response = await next.work();
			if (next.id !== undefined) this.#inFlight.delete(next.id);
			if (this.#closed) continue;
			this.deps.out.response(response);
			this.#begin();
			if (this.#pending.length === 0 || this.#waiting.length > maxDelayed) this.#sendDelayed();
			if (this.#pending.length === maxPending - 1) this.deps.out.reading(true);
		}
		this.#working = undefined;
	}

	#sendDelayed(): void {
		const waiting = this.#waiting ?? [];
		this.#waiting = undefined;
		for (const event of waiting) this.#show(event);
		this.#showPrompts();
		this.#released?.resolve();
		this.#released = undefined;
	}

	/** Resolves when a replay may continue: the client can receive more, and no response is pending. */
	async #drained(): Promise<void> {
		while (this.#waiting) {
			this.#released ??= Promise.withResolvers();
			await this.#released.promise;
		}
		await this.deps.out.drained();
	}

	/** Starts the replays of the joined sessions, after the response to the request has been sent. */
	#begin(): void {
		const joined = this.#joined;
		this.#joined = [];
		for (const view of joined) void this.#replay(view);
	}

	async #answer(request: Request): Promise<ResponseFrame> {
		let { principal } = this.deps;
		try {
			this.deps.rateLimit.count(this.#rateLimitKey(request));
			principal = await actingPrincipal(this.deps.runtime, principal, request.onBehalf, request.method);
			const payload = await answerRequest(this, { ...request, principal });
			this.deps.counts?.answered("ozzie", request.method, "ok");
			return encodeSuccess(request.id, payload);
		} catch (reason) {
			const error = ParleyError.from(reason);
			this.deps.counts?.answered("ozzie", request.method, error.code);
			if (error.code === "internal" || error.code === "data_loss") {
				this.deps.log.error("a request failed", { method: request.method, error: reason });
			}
			if (error.code === "permission_denied") this.#noteRefusal(request.method, principal);
			return this.#withRefusal(
				request.method,
				encodeFailure(request.id, shownError(error, this.deps.redactor)),
			);
		}
	}

	/**
	 * Returns the response to an invalid frame. A malformed `prompt_response` with a token is handled as an invalid
	 * answer.
	 */
	async #refuse({ id, reason, frame }: RefusedFrame): Promise<ResponseFrame> {
		const token = frame?.method === "prompt_response" ? frame.params["token"] : undefined;
		try {
			if (id === undefined || typeof token !== "string") throw reason;
			return encodeSuccess(id, await settleUnread(this, this.deps.principal, token, reason));
		} catch (error) {
			return this.#withRefusal(frame?.method, encodeFailure(id, error));
		}
	}

	/** Returns `failure`. If a message was refused, also adds an event, because Go clients read no responses. */
	#withRefusal(method: string | undefined, failure: ResponseFrame): ResponseFrame {
		const sessionId = this.#current;
		if (failure.ok || method !== "send_message" || this.envelope === "flat" || sessionId === undefined) {
			return failure;
		}
		const seq = this.#views.get(sessionId)?.seq ?? 0;
		const event = { type: "message.refused", error: failure.error } as const;
		this.#waiting?.push({ transient: true, sessionId, seq, event });
		return failure;
	}

	#noteRefusal(method: string, principal: Principal): void {
		const refused = { action: "request.refuse", object: method, decision: "denied" };
		this.deps.runtime.trust.audit.sample({ ...requestedBy(principal), ...refused });
	}

	#rateLimitKey({ sessionId }: Request): string | symbol {
		// Only joined sessions have their own key, so that invented ids do not raise the limit.
		const named = sessionId !== undefined && this.#views.has(sessionId) ? sessionId : this.#current;
		return named ?? this.#unnamed;
	}

	#sendCheck(check: PersonCheck): void {
		const { sessionId } = check;
		const seq = this.#views.get(sessionId)?.seq ?? 0;
		// A check is sent immediately, because a pending request may wait for the connector's report.
		this.#show({ transient: true, sessionId, seq, event: { type: "person.check", check } });
	}

	#deliver(event: OzzieEvent): void {
		if (event.event.type === "session.deleted") void this.#leaveDeleted(event.sessionId);
		if (this.#waiting) this.#waiting.push(event);
		else this.#show(event);
	}

	#show(event: OzzieEvent): void {
		if (this.#closed) return;
		if (this.#prompts?.receive(event) !== false) this.#send(event);
		if (!this.#prompts || this.#isShowScheduled || !event.event.type.startsWith("prompt.")) return;
		// All events of a commit arrive in one tick, and a later event may close the next prompt.
		this.#isShowScheduled = true;
		queueMicrotask(() => {
			this.#isShowScheduled = false;
			if (!this.#waiting) this.#showPrompts();
		});
	}

	#showPrompts(): void {
		if (this.#closed) return;
		for (const { sessionId, prompt } of this.#prompts?.due() ?? []) {
			const seq = this.#views.get(sessionId)?.seq ?? 0;
			this.#send({ transient: true, sessionId, seq, event: { type: "prompt.shown", prompt } });
		}
	}

	#send(event: OzzieEvent): void {
		const { out, principal } = this.deps;
		// An observer must not get the token of a prompt.
		out.event(principal.kind === "observer" ? hideToken(event) : event);
	}

	async #replay(view: SessionView): Promise<void> {
		this.#prompts?.pause(view.id);
		try {
			await view.begin();
		} catch (reason) {
			this.deps.log.error("a session could not be replayed", { sessionId: view.id, error: reason });
			this.deps.out.close(1011, "replay failed");
			return;
		}
		if (this.#views.get(view.id) !== view) return;
		this.#prompts?.resume(view.id);
		if (!this.#waiting) this.#showPrompts();
	}

	/** Returns a new view of the session, which replaces the previous view. */
	async #follow(sessionId: string, afterSeq: number | undefined): Promise<SessionView> {
		const { runtime, principal } = this.deps;
		const view = await SessionView.join(runtime, sessionId, {
			principal,
			afterSeq,
			deliver: (event) => isWireEvent(event) && this.#deliver(event),
			drained: () => this.#drained(),
		});
		// The new view joins before the old view leaves, so that the session always has a client.
		await this.#leave(sessionId);
		this.#views.set(sessionId, view);
		this.#joined.push(view);
		return view;
	}

	/** Leaves the view of a deleted session. The delayed events of the session are still sent. */
	async #leaveDeleted(sessionId: string): Promise<void> {
		const view = this.#views.get(sessionId);
		this.#views.delete(sessionId);
		await view?.leave();
	}

	/**
	 * Leaves the session, and drops its delayed events. If a new view of the session has joined, the replay of the new
	 * view delivers these events again.
	 */
	async #leave(sessionId: string): Promise<void> {
		const view = this.#views.get(sessionId);
		this.#views.delete(sessionId);
		try {
			const left = view?.leave();
			this.#waiting = this.#waiting?.filter((event) => event.sessionId !== sessionId);
			this.#prompts?.forget(sessionId);
			await left;
		} catch (reason) {
			this.deps.log.error("a session could not be left", { sessionId, error: reason });
		}
	}
}
