import { type Clock, hotStatement, type Store } from "@parley/base";
import type { ConnectorTables } from "../store/tables.ts";

const insert = hotStatement<ConnectorTables, ConnectorTables["choices"]>((db, p) =>
	db
		.insertInto("choices")
		.values({ key: p("key"), choice: p("choice"), changed_at: p("changed_at") })
		.onConflict((conflict) => conflict.column("key").doNothing()),
);

/**
 * Stored choices for requests of people. For example, a choice is the object to which a number in a list refers. A
 * choice is stored before the gateway gets it, so that a later process repeats the same request.
 */
export class Choices {
	readonly #store: Store<ConnectorTables>;
	readonly #clock: Clock;

	constructor(store: Store<ConnectorTables>, clock: Clock) {
		this.#store = store;
		this.#clock = clock;
	}

	/**
	 * Returns the choice that an earlier attempt with the same idempotency key stored. Without a stored choice,
	 * stores and returns the result of `choose`. An undefined result is not stored.
	 */
	async stored(key: string, choose: () => Promise<string | undefined>): Promise<string | undefined> {
		const known = await this.#store.read((db) =>
			db.selectFrom("choices").select("choice").where("key", "=", key).executeTakeFirst(),
		);
		if (known) return known.choice;
		const choice = await choose();
		if (choice === undefined) return undefined;
		const row = { key, choice, changed_at: this.#clock.now() };
		await this.#store.commit((tx) => insert(tx, row));
		return choice;
	}
}
