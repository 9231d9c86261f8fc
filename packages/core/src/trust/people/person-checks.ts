import type { Clock, Ids, Store } from "@parley/base";
import { userOf } from "../../store/person-role.ts";
import type { Tables } from "../../store/tables.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import { type ChatSettings, noChat } from "../../vocabulary/chat-settings.ts";
import type { Person, Place, Principal } from "../../vocabulary/principal.ts";
import { Tenants } from "./tenants.ts";

/** Maximum milliseconds to wait for a connector's answer. */
const patienceMs = 10_000;

/** Request to a connector for the current permissions of a person in a channel. */
export interface PersonCheck {
	readonly id: string;
	/** Session in which the person acts. */
	readonly sessionId: string;
	/** The person's id on the platform. */
	readonly user: string;
	readonly place: Place;
}

/**
 * Report of a connector. Reason `left` means that the person left the guild or team, and `no_access` that the person can no
 * longer write in the channel.
 */
export type PersonReport =
	| {
			readonly present: true;
			/** Ids of the person's roles on the platform. */
			readonly roles: readonly string[];
			readonly guest: boolean;
			/** Whether people of other organisations are in the channel. */
			readonly shared: boolean;
	  }
	| { readonly present: false; readonly reason: "left" | "no_access" };

interface Listener {
	readonly principal: Principal;
	readonly send: (check: PersonCheck) => void;
}

interface OpenCheck {
	readonly connector: string;
	readonly answer: (report: PersonReport | undefined) => void;
}

interface PersonChecksOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly chat?: ChatSettings | undefined;
}

/** Requests the current permissions of people from connected connectors. */
export class PersonChecks {
	readonly #options: PersonChecksOptions;
	readonly #tenants: Tenants;
	readonly #listeners = new Set<Listener>();
	readonly #open = new Map<string, OpenCheck>();
	#connected: (connector: string) => void = () => undefined;

	constructor(options: PersonChecksOptions) {
		this.#options = options;
		this.#tenants = new Tenants(options.chat ?? noChat);
	}

	/**
	 * Registers a connection of a connector. `send` receives the checks for the connector until the returned
	 * function is called.
	 */
	listen(principal: Principal, send: (check: PersonCheck) => void): () => void {
		const listener = { principal, send };
		this.#listeners.add(listener);
		this.#connected(principal.id);
		return () => void this.#listeners.delete(listener);
	}

	/** Sets the function to call when a connector connects. */
	onConnected(connected: (connector: string) => void): void {
		this.#connected = connected;
	}

	/**
	 * Asks the connector about the person. Resolves with the connector's report, or with undefined in these cases:
	 *
	 * - The connector is not connected.
	 * - The connector does not serve the person's guild or team.
	 * - The connector does not answer within ten seconds.
	 * - The gateway stops before the answer.
	 */
	async ask(
		person: Person,
		{ connector, sessionId }: { readonly connector: string; readonly sessionId: string },
	): Promise<PersonReport | undefined> {
		const { store, clock, ids } = this.#options;
		const own = [...this.#listeners].filter(({ principal }) => principal.id === connector);
		const listeners = await store.read(async (db) => {
			const serving: Listener[] = [];
			for (const one of own) {
				const serves = await this.#tenants.of(db, one.principal);
				if (serves(person.place)) serving.push(one);
			}
			return serving;
		});
		if (listeners.length === 0) return undefined;
		const id = ids.create("check");
		const answered = Promise.withResolvers<PersonReport | undefined>();
		this.#open.set(id, { connector, answer: answered.resolve });
		const timer = clock.after(patienceMs, () => answered.resolve(undefined));
		const check = { id, sessionId, user: userOf(person), place: person.place };
		for (const { send } of listeners) send(check);
		try {
			return await answered.promise;
		} finally {
			timer.cancel();
			this.#open.delete(id);
		}
	}

	/**
	 * Receives the answer of a connector. Returns false, and changes nothing, if no check with this id waits for this
	 * connector.
	 */
	report(principal: Principal, id: string, report: PersonReport): boolean {
		authorize(principal, "person.report");
		const open = this.#open.get(id);
		if (open?.connector !== principal.id) return false;
		this.#open.delete(id);
		open.answer(report);
		return true;
	}

	/** Resolves all open checks with undefined. */
	stop(): void {
		for (const { answer } of this.#open.values()) answer(undefined);
	}
}
