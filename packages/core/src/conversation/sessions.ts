import { hotStatement, type Logger, ParleyError } from "@parley/base";
import { LRUCache } from "lru-cache";
import type { Tables } from "../store/tables.ts";
import { findTrust } from "../trust/grants/session-trust.ts";
import { type Action, authorize, unknownSession } from "../vocabulary/authorize.ts";
import { type Principal, placeKey } from "../vocabulary/principal.ts";
import type { SecretBox } from "../vocabulary/secrets.ts";
import { readPasswords } from "./passwords.ts";
import { Session, type SessionParts, type SessionRow } from "./session.ts";
import { taskTexts } from "./texts.ts";

/** A session in use. All concurrent leases of one id share one `Session`. Dispose of the lease after use. */
export interface Lease extends Disposable {
	readonly session: Session;
}

/**
 * Pattern of session ids that Parley and the wires create. Ids of Kontekst have a dot:
 * `sess_20261121T202026.179664167_c7b5f496054a`.
 */
const wellFormed =
	/^(?:sess_[0-9A-Za-z_.-]{1,100}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;

/** Whether a text can be the id of a session. Any other text is treated as unknown without a query. */
export function isSessionId(text: string): boolean {
	return wellFormed.test(text);
}

/** Reading actions, which are the only actions that the session of a task allows. */
const readingTasks: readonly Action[] = [
	"session.read",
	"event.read",
	"task.read",
	"usage.read",
	"file.read",
];

/** Returns the error for an action that is not allowed in the session of a task. */
export function belongsToTask(taskId: string): ParleyError {
	const message = taskTexts.conversationOf(taskId);
	return new ParleyError(message, { code: "failed_precondition" });
}

function maySee({ id, kind, person }: Principal, { owner, place }: Session): boolean {
	if (kind === "operator") return true;
	// A person may see only sessions of the person's channel. The person's connector may also own sessions of other
	// channels.
	return id === owner && (person === undefined || place === placeKey(person.place));
}

/**
 * Maximum unused sessions in memory. Avoids repeated loading: clients of some wires join again for each message,
 * and the first run of a loaded session reads its complete conversation.
 */
const maxUnused = 16;

interface Entry {
	readonly session: Promise<Session | undefined>;
	leases: number;
}

const sessionById = hotStatement<Tables, { id: string }, SessionRow>((db, p) =>
	db
		.selectFrom("sessions")
		.leftJoin("system_prompts", "session_id", "id")
		.selectAll("sessions")
		.select("system_prompts.text as system_prompt")
		.where("id", "=", p("id")),
);

export interface SessionsParts extends SessionParts {
	readonly log: Logger;
	readonly secrets: SecretBox;
}

/** Finds sessions and loads them from their rows. Recently used sessions stay in memory. */
export class Sessions {
	readonly #parts: SessionsParts;
	readonly #entries = new Map<string, Entry>();
	/** Entries of `#entries` without a lease, a client or an active run. */
	readonly #unused = new LRUCache<string, Entry>({
		max: maxUnused,
		dispose: (entry, id, reason) => {
			if (reason === "evict") this.#forget(id, entry);
		},
	});

	constructor(parts: SessionsParts) {
		this.#parts = parts;
	}

	/** Returns the number of sessions with a lease, a client or an active run. */
	get size(): number {
		return this.#entries.size - this.#unused.size;
	}

	async *loaded(): AsyncGenerator<Session> {
		for (const [id, entry] of [...this.#entries]) {
			if (this.#unused.has(id)) continue;
			const session = await entry.session;
			if (session) yield session;
		}
	}

	/**
	 * Leases a session. Throws `not_found` for an unknown session. For a refused action, throws `permission_denied`, or
	 * `failed_precondition` if the session of a task does not allow the action. A principal that may not see the
	 * session gets `not_found` instead.
	 */
	async lease(principal: Principal, id: string, action: Action): Promise<Lease> {
		const lease = await this.#borrow(id);
		if (!lease) throw unknownSession(id);
		try {
			const { owner, place } = lease.session;
			authorize(principal, action, { owner, sessionId: id, place });
			const { taskId } = lease.session;
			if (taskId !== undefined && !readingTasks.includes(action)) throw belongsToTask(taskId);
			return lease;
		} catch (reason) {
			lease[Symbol.dispose]();
			// Only a principal that may see the session gets the reason. For other principals, the session does not exist.
			throw maySee(principal, lease.session) ? reason : unknownSession(id);
		}
	}

	/** Leases a session for the gateway. Throws `not_found` for an unknown session. */
	async leaseOwn(id: string): Promise<Lease> {
		const lease = await this.#borrow(id);
		if (!lease) throw unknownSession(id);
		return lease;
	}

	/** Forgets a deleted session, even if the session has leases. */
	evict(id: string): void {
		this.#entries.delete(id);
		this.#unused.delete(id);
	}

	/**
	 * Marks a session without a lease, a client or an active run as unused. At most `maxUnused` unused sessions stay in
	 * memory. The session that has been unused longest is evicted first.
	 */
	release(id: string): void {
		const entry = this.#entries.get(id);
		if (!entry || entry.leases > 0) return;
		void entry.session.then((session) => {
			const isUsed = entry.leases > 0 || session?.busy === true;
			if (isUsed || this.#entries.get(id) !== entry) return;
			if (!session || session.removed) this.#forget(id, entry);
			else this.#unused.set(id, entry);
		});
	}

	#forget(id: string, entry: Entry): void {
		if (this.#entries.get(id) === entry) this.#entries.delete(id);
	}

	async #borrow(id: string): Promise<Lease | undefined> {
		if (!isSessionId(id)) return undefined;
		let entry = this.#entries.get(id);
		if (!entry) {
			entry = { session: this.#load(id), leases: 0 };
			this.#entries.set(id, entry);
		}
		const used = entry;
		used.leases += 1;
		this.#unused.delete(id);
		let returned = false;
		const release = (): void => {
			if (returned) return;
			returned = true;
			used.leases -= 1;
			this.release(id);
		};
		try {
			const session = await used.session;
			if (session && !session.removed) return { session, [Symbol.dispose]: release };
		} catch (reason) {
			this.#entries.delete(id);
			throw reason;
		}
		release();
		return undefined;
	}

	async #load(id: string): Promise<Session | undefined> {
		return this.#parts.journal.store.read(async (db) => {
			const [row] = await sessionById(db, { id });
			if (!row) return undefined;
			const session = new Session(row, await findTrust(db, id), this.#parts);
			for (const password of await readPasswords(db, id, this.#parts)) session.redactor.add(password);
			return session;
		});
	}
}
