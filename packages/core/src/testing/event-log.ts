import type { Runtime } from "../runtime.ts";
import type { Follower } from "../use-cases/sessions/follow.ts";
import type { RecordedEvent, SessionEvent } from "../vocabulary/event.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";
import type { TransientEvent } from "../vocabulary/transient-event.ts";
import { checkEventOrder } from "./event-order.ts";

type AnyEvent = RecordedEvent | TransientEvent;
type EventOf<Type extends AnyEvent["type"]> = Extract<AnyEvent, { type: Type }>;

/** Client of one session. It records the events of the session. */
export class EventLog {
	readonly events: SessionEvent[] = [];
	readonly #follower: Promise<Follower>;
	#next = Promise.withResolvers<void>();
	#read = 0;

	private constructor(runtime: Runtime, sessionId: string, options: JoinOptions) {
		const deliver = (event: SessionEvent): void => {
			this.events.push(event);
			this.#next.resolve();
		};
		const following = { afterSeq: options.afterSeq, deliver, drained: () => Promise.resolve() };
		this.#follower = runtime.follow(options.principal ?? operator, sessionId, following);
	}

	/** Joins a session. If `afterSeq` is given, the client first receives the events after this `seq`. */
	static async join(runtime: Runtime, sessionId: string, options: JoinOptions = {}): Promise<EventLog> {
		const log = new EventLog(runtime, sessionId, options);
		await (await log.#follower).begin();
		return log;
	}

	/** Returns the first unread event that has one of the types. Marks earlier events as read. */
	async next<Type extends AnyEvent["type"]>(...types: readonly Type[]): Promise<EventOf<Type>> {
		for (;;) {
			while (this.#read < this.events.length) {
				const event = this.events[this.#read++]?.event;
				// The cast is safe because the type is one of the requested types.
				if (event && types.some((type) => type === event.type)) return event as EventOf<Type>;
			}
			this.#next = Promise.withResolvers();
			await this.#next.promise;
		}
	}

	get recorded(): string[] {
		return this.events.filter((event) => !event.transient).map(({ event }) => event.type);
	}

	get streamed(): string {
		return this.events.map(({ event }) => (event.type === "text.delta" ? event.text : "")).join("");
	}

	/**
	 * Checks the order of the events, and that every operation ended: see `checkEventOrder`. The log must begin
	 * with the session's first event.
	 */
	check(): void {
		checkEventOrder(this.events, true);
	}

	async leave(): Promise<void> {
		await (await this.#follower).leave();
	}
}

interface JoinOptions {
	readonly afterSeq?: number;
	readonly principal?: Principal;
}
