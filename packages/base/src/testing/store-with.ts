import type { Store } from "../store/store.ts";

/** Returns a store with the methods of `own` in place of the same methods of `store`. */
export function storeWith<DB>(store: Store<DB>, own: Partial<Store<DB>>): Store<DB> {
	return {
		engine: store.engine,
		read: (query) => store.read(query),
		commit: (command) => store.commit(command),
		health: () => store.health(),
		close: () => store.close(),
		...own,
	};
}
