import { type Clock, hotStatement, type Store } from "@parley/base";
import type { ConnectorTables } from "../store/tables.ts";

const insert = hotStatement<ConnectorTables, ConnectorTables["choices"]>((db, p) =>
	db
		.insertInto("choices")
		.values({ key: p("key"), choice: p("choice"), changed_at: p("changed_at") })
		.onConflict((conflict) => conflict.column("key").doNothing()),
);

/**
 * Stored choices for requests of people, for example which object a number in a list refers to. A choice is stored
 * before it is sent to the gateway, so that a later process repeats the same request.
 */
export class Choices {
	readonly #store: Store<ConnectorTables>;
	readonly #clock: Clock;

	constructor(store: Store<ConnectorTables>, clock: Clock) {
		this.#store = store;
		this.#clock = clock;
	}

	/**
	 * Returns the choice of an earlier attempt with this idempotency key, or else the result of `choose`. An undefined choice
	 * is not stored.
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
