import { pictureBytes } from "../files/pictures.ts";
import type { Session } from "../session/session.ts";

/** Bytes of pictures that sessions at rest may hold together. */
const mostBytes = 64 * 1024 * 1024;

/** A session, as far as its pictures are concerned. */
interface Holder extends Pick<Session, "id" | "history"> {
	readonly live: { readonly size: number };
}

/**
 * Bounds what the pictures of all sessions take in memory: beyond it, those that have rested longest forget what they
 * have seen and read it from the record when they go on.
 */
export class KeptPictures<S extends Holder> {
	/** Lets go of all else that holds messages of the session. */
	readonly #onForget: (session: S) => void;
	/** By session, the one that worked last at the end. A session that nobody uses goes away by itself. */
	readonly #holders = new Map<string, { readonly session: WeakRef<S>; readonly bytes: number }>();

	constructor(onForget: (session: S) => void) {
		this.#onForget = onForget;
	}

	/** A run of the session has left its history in memory. */
	keep(session: S): void {
		this.#holders.delete(session.id);
		const bytes = pictureBytes((session.history ?? []).flatMap(({ messages }) => messages));
		if (bytes === 0) return;
		this.#holders.set(session.id, { session: new WeakRef(session), bytes });
		let sum = 0;
		for (const [id, holder] of [...this.#holders].reverse()) {
			const held = holder.session.deref();
			if (held) sum += holder.bytes;
			// What works holds its pictures in its run as well, and comes back here when that ends.
			if (held && (held.live.size > 0 || sum <= mostBytes)) continue;
			this.#holders.delete(id);
			if (held) this.#forget(held);
		}
	}

	#forget(session: S): void {
		session.history = undefined;
		this.#onForget(session);
	}
}
