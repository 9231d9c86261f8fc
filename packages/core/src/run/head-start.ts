import { isDeepStrictEqual } from "node:util";
import { contextsOf } from "../context/contexts.ts";
import { type Asker, plainRequest } from "../context/fit-request.ts";
import type { Marks } from "../context/marks.ts";
import type { Answered, Model, ModelEvent, ModelRequest } from "../model.ts";
import { type Keyed, knowsKey } from "../session/idempotency.ts";
import type { Session } from "../session/session.ts";
import { refusedByBudget } from "./refusal.ts";
import { type RequestParts, requestParts } from "./request-parts.ts";
import type { RunDeps } from "./run.ts";
import { type Asked, messagesOf, type RunTranscript } from "./transcript.ts";

/** A message that is about to be accepted. */
export interface Leading {
	readonly session: Session;
	readonly request: Keyed;
	readonly asked: Asked;
}

/** What a request is put together from. */
interface Ingredients extends RequestParts {
	readonly transcript: readonly RunTranscript[];
	readonly marks: Marks;
}

/** A call that was begun, and what came of it so far. */
interface Opened {
	readonly model: Model;
	readonly request: ModelRequest;
	readonly from: Ingredients;
	readonly events: AsyncIterator<ModelEvent, unknown>;
	readonly first: Promise<IteratorResult<ModelEvent, unknown>>;
	/** When it was begun, on the monotonic clock. */
	readonly beganAt: number;
}

/** A call that goes on as the run's own. */
export interface Begun extends Pick<Opened, "beganAt"> {
	readonly events: AsyncIterable<ModelEvent>;
}

/**
 * The model call of a message that is still being written down: a disk takes its time, a provider takes more, and they
 * can do so at once. What is asked here is a guess. The run that comes of the message puts its request together like
 * any other, after all that may forbid it, and has this call only where it would have made the very same one. So a call
 * that comes to nothing costs what the provider takes for it, and changes nothing.
 */
export class HeadStart {
	readonly #opened: Promise<Opened | undefined>;
	readonly #session: Session;
	readonly #controller = new AbortController();
	#requestId: string | undefined;
	#answered: Answered | undefined;
	#over = false;

	/** Where it cannot be known to be right, nothing is asked. */
	constructor(leading: Leading, deps: RunDeps) {
		this.#session = leading.session;
		this.#opened = this.#open(leading, deps).catch((error: unknown) => {
			// Whatever is in the way of it is in the way of the run as well, which tells people of it.
			const { id: sessionId, deps: own } = leading.session;
			own.log.debug("a model call could not be begun early", { sessionId, error });
			return undefined;
		});
	}

	/** What it has asked, where a request that is put together from these comes to the same; else undefined. */
	async asked(parts: RequestParts, transcript: readonly RunTranscript[]): Promise<ModelRequest | undefined> {
		const opened = await this.#opened;
		if (!opened || this.#over) return undefined;
		const marks = contextsOf(this.#session.deps).known(this.#session)?.marks;
		return isSame(opened.from, { ...parts, transcript, marks }) ? opened.request : undefined;
	}

	/**
	 * The call, where this model was asked this very request; then `signal` ends it, and `answered` is told as `Model.stream`
	 * does. Undefined where another one has to be made. Can be taken once.
	 */
	async take(
		model: Model,
		request: ModelRequest,
		signal: AbortSignal,
		answered: Answered,
	): Promise<Begun | undefined> {
		const opened = await this.#opened;
		const isIt = opened?.model === model && opened.request === request;
		if (this.#over || !isIt || signal.aborted) {
			this.drop();
			return undefined;
		}
		this.#over = true;
		signal.addEventListener("abort", () => this.#controller.abort(), { once: true });
		if (this.#requestId !== undefined) answered(this.#requestId);
		this.#answered = answered;
		return { events: new Continued(opened), beganAt: opened.beganAt };
	}

	/** Ends it, unless it was taken. What the provider takes for it nobody will know. */
	drop(): void {
		if (this.#over) return;
		this.#over = true;
		this.#controller.abort();
		void this.#opened.then((opened) => opened && this.#close(opened));
	}

	async #close({ first, events }: Opened): Promise<void> {
		const { id: sessionId, deps } = this.#session;
		deps.log.info("a model call that was begun early is not used", { sessionId });
		// One that has said something waits to be asked for more.
		await first.catch(() => undefined);
		await events
			.return?.()
			.catch((error: unknown) => deps.log.debug("an unused model call failed", { error }));
	}

	async #open({ session, request, asked }: Leading, deps: RunDeps): Promise<Opened | undefined> {
		const { store } = session.deps.journal;
		const { key, principal } = request;
		// What was sent before is not asked again.
		if (key !== undefined && (await store.read((db) => knowsKey(db, principal, key)))) return undefined;
		const settings = await deps.settings(session);
		const [model] = settings.names;
		const calling = { session, deps, settings };
		if ((await refusedByBudget(calling, model)) !== undefined) return undefined;
		const parts = await requestParts(calling, model);
		const { history } = session;
		const marks = contextsOf(session.deps).known(session)?.marks;
		// They may have left memory meanwhile.
		if (!history || !marks) return undefined;
		const own = { ordinal: (history.at(-1)?.ordinal ?? 0) + 1, messages: messagesOf(asked, []) };
		const transcript = [...history, own];
		const { signal } = this.#controller;
		const asker: Asker = { id: "", session, signal, settings: { model: settings.model, ...parts.limits } };
		const likely = plainRequest(asker, parts.parts, transcript);
		if (!likely || this.#over) return undefined;
		const from = { ...parts, transcript, marks };
		return { ...this.#ask(settings.model, likely), from, beganAt: session.deps.clock.monotonic() };
	}

	#ask(model: Model, request: ModelRequest): Omit<Opened, "from" | "beganAt"> {
		const told = (id: string): void => {
			this.#requestId = id;
			this.#answered?.(id);
		};
		const events = model.stream(request, this.#controller.signal, told)[Symbol.asyncIterator]();
		const first = events.next();
		// Who takes it gets its failure; who does not has asked for none.
		first.catch(() => undefined);
		return { model, request, events, first };
	}
}

/**
 * Whether they come to the same request. Most of them is one object, as are the messages of earlier runs. The number of the
 * newest one may differ, as runs that were cancelled before they began have numbers too: marks are of earlier ones.
 */
function isSame(one: Ingredients, other: Omit<Ingredients, "marks"> & { marks: Marks | undefined }): boolean {
	const { transcript } = other;
	if (one.marks !== other.marks || one.transcript.length !== transcript.length) return false;
	return (
		one.transcript.every(({ messages }, index) => isEqual(messages, transcript[index]?.messages)) &&
		isDeepStrictEqual(one.limits, other.limits) &&
		isDeepStrictEqual(one.parts, other.parts)
	);
}

function isEqual(one: unknown, other: unknown): boolean {
	return one === other || isDeepStrictEqual(one, other);
}

/** Events of which the first was asked for already. */
class Continued implements AsyncIterable<ModelEvent>, AsyncIterator<ModelEvent, unknown> {
	readonly #events: AsyncIterator<ModelEvent, unknown>;
	#first: Promise<IteratorResult<ModelEvent, unknown>> | undefined;

	constructor({ events, first }: Opened) {
		this.#events = events;
		this.#first = first;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	next(): Promise<IteratorResult<ModelEvent, unknown>> {
		const first = this.#first;
		this.#first = undefined;
		return first ?? this.#events.next();
	}

	async return(): Promise<IteratorResult<ModelEvent, unknown>> {
		await this.#events.return?.();
		return { done: true, value: undefined };
	}
}
