import { type Logger, ParleyError, type Timer } from "@parley/base";
import type { Services } from "../../conversation/services.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import type { SessionEvent } from "../../vocabulary/event.ts";
import { type Beginning, type TitleDeps, writeTitle } from "./write-title.ts";

/** Titles that are made at once: people wait for replies, which use the same provider. */
const mostAtOnce = 4;
/** Sessions that may wait for theirs; one that comes on top gets it after its next run. */
const mostWaiting = 1_000;
const patienceMs = 60_000;
/** Runs of a session after which a title is tried in vain: then it most likely never can be made. */
const mostFailures = 3;

/**
 * Has a model name the sessions that nobody has named, each after its first run that ended well; where that fails, after
 * the next, and after two more at most. Nobody waits for it, and nobody but the log is told where it cannot be done.
 */
export class Titles {
	readonly #session: Services;
	readonly #sessions: Sessions;
	readonly #deps: TitleDeps;
	readonly #stopping = new AbortController();
	readonly #waiting = new Set<string>();
	readonly #working = new Map<string, Promise<void>>();
	/** In how many runs the title of a session was tried in vain. */
	readonly #failures = new Map<string, number>();

	constructor(session: Services, sessions: Sessions, deps: TitleDeps) {
		this.#session = session;
		this.#sessions = sessions;
		this.#deps = deps;
	}

	/** Looks at everything that happens. */
	observe({ sessionId, event }: SessionEvent): void {
		if (event.type === "session.renamed" || event.type === "session.deleted")
			this.#failures.delete(sessionId);
		if (event.type !== "assistant.message" || event.error !== "" || event.imported) return;
		if (this.#stopping.signal.aborted || this.#waiting.size >= mostWaiting) return;
		this.#waiting.add(sessionId);
		this.#next();
	}

	/** Breaks off what is being made; resolves when nothing is any more. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#waiting.clear();
		await Promise.all(this.#working.values());
	}

	#next(): void {
		for (const id of this.#waiting) {
			if (this.#working.size >= mostAtOnce) return;
			this.#waiting.delete(id);
			if (!this.#working.has(id)) this.#working.set(id, this.#work(id));
		}
	}

	async #work(id: string): Promise<void> {
		try {
			await this.#make(id);
		} catch (error) {
			this.#fail(id, error, this.#session.log);
		}
		this.#working.delete(id);
		this.#next();
	}

	#fail(id: string, error: unknown, log: Logger): void {
		// A session that was deleted meanwhile needs none.
		if (this.#stopping.signal.aborted || ParleyError.from(error).code === "not_found") return;
		this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1);
		log.warn("no title could be made", { sessionId: id, error });
	}

	async #make(id: string): Promise<void> {
		if ((this.#failures.get(id) ?? 0) >= mostFailures) return;
		const { clock, log } = this.#session;
		using lease = await this.#sessions.leaseOwn(id);
		if (lease.session.titled) return;
		const beginning = await this.#beginning(id);
		if (!beginning) return;
		const tooLong = new AbortController();
		const timer: Timer = clock.after(patienceMs, () => tooLong.abort());
		const signal = AbortSignal.any([this.#stopping.signal, tooLong.signal]);
		try {
			const made = await writeTitle({ session: lease.session, deps: this.#deps, signal }, beginning);
			if (made) log.info("title made", { sessionId: id });
		} catch (error) {
			// Also what caused it may repeat a password of this session.
			this.#fail(id, error, lease.session.redactor.guard(log));
		} finally {
			timer.cancel();
		}
	}

	/** The first message, and the first reply that went well. */
	async #beginning(id: string): Promise<Beginning | undefined> {
		const types = ["user.message", "assistant.message"];
		const events = (await this.#session.journal.after(id, 0, 20, types)).map(({ event }) => event);
		const message = events.find((event) => event.type === "user.message");
		const reply = events.find((event) => event.type === "assistant.message" && event.error === "");
		if (!message || reply?.type !== "assistant.message") return undefined;
		return { message: message.content, reply: reply.content };
	}
}
