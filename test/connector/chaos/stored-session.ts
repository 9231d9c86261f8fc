import type { DiscordDispatch } from "@parley/discord";
import type { SessionStore } from "../../simulators/discord/in-process.ts";

type Session = NonNullable<SessionStore["session"]>;
type Dispatch = (event: DiscordDispatch) => void | Promise<void>;

/**
 * Stored gateway session of a Discord connector process. The same process resumes after the newest event. The next
 * process resumes before the first event that was not durable, as `DiscordPort` promises.
 */
export class StoredSession {
	/** Session store of the port. The port writes `session` after each dispatched event. */
	readonly store: SessionStore;
	readonly #unreceived = new Set<number>();
	#isOver = false;
	/** The dispatched event whose sequence number the port has not stored yet. */
	#handed: { readonly received: Promise<void> | undefined } | undefined;

	constructor(stored: Session | undefined) {
		this.store = new Proxy<SessionStore>(stored ? { session: stored } : {}, {
			set: (store, _name, session: Session) => {
				if (store.session?.id !== session.id) this.#unreceived.clear();
				this.#number(session.seq);
				store.session = session;
				return true;
			},
			deleteProperty: (store) => {
				this.#unreceived.clear();
				delete store.session;
				return true;
			},
		});
	}

	watched(dispatch: Dispatch): Dispatch {
		return (event) => {
			const received = dispatch(event);
			this.#handed = { received: received ?? undefined };
			return received;
		};
	}

	/** Marks the process as dead. Later acknowledgements have no effect. */
	end(): void {
		this.#isOver = true;
	}

	/**
	 * Returns the session for the next process, or undefined if there is no session or the session's first event was
	 * not durable.
	 */
	get left(): Session | undefined {
		const { session } = this.store;
		if (!session) return undefined;
		const seq = Math.min(session.seq, ...[...this.#unreceived].map((unreceived) => unreceived - 1));
		return seq > 0 ? { id: session.id, seq } : undefined;
	}

	#number(seq: number): void {
		const received = this.#handed?.received;
		this.#handed = undefined;
		if (received === undefined) return;
		this.#unreceived.add(seq);
		received.then(
			() => void (this.#isOver || this.#unreceived.delete(seq)),
			// The event stays unreceived, so the next process receives it again.
			() => undefined,
		);
	}
}
