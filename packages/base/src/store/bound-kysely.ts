import { type DatabaseConnection, DefaultQueryExecutor, type Dialect, type Driver, Kysely } from "kysely";
import { ParleyError } from "../errors.ts";

/**
 * A query builder that sends everything straight to one connection: it takes no lock and acquires nothing. Whoever
 * holds it decides when transactions begin and end; `transaction()` on it is refused.
 */
export function boundKysely<DB>(dialect: Dialect, connection: DatabaseConnection): Kysely<DB> {
	const executor = new DefaultQueryExecutor(dialect.createQueryCompiler(), dialect.createAdapter(), {
		provideConnection: (consumer) => consumer(connection),
	});
	return new Kysely<DB>({ config: { dialect }, dialect, driver: boundDriver(connection), executor });
}

function boundDriver(connection: DatabaseConnection): Driver {
	const refuse = async (): Promise<never> => {
		throw new ParleyError("the store begins and ends transactions: use commit", {
			code: "failed_precondition",
		});
	};
	return {
		init: async () => undefined,
		acquireConnection: async () => connection,
		releaseConnection: async () => undefined,
		beginTransaction: refuse,
		commitTransaction: refuse,
		rollbackTransaction: refuse,
		destroy: refuse,
	};
}
