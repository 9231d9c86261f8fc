import { test as plainTest } from "vitest";
import { missing, PostgresServer } from "./server.ts";

interface Fixtures {
	readonly shared: PostgresServer | undefined;
	readonly server: PostgresServer;
	/** Connection string of this test's database, for any process. */
	readonly database: string;
}

/**
 * A test with a PostgreSQL server that all tests of the file share. Skipped with a reason if PostgreSQL is not
 * installed.
 */
export const test = plainTest.extend<Fixtures>({
	shared: [
		// biome-ignore lint/correctness/noEmptyPattern: a fixture without other fixtures has an empty pattern
		async ({}, use) => {
			if (missing) return use(undefined);
			await using server = await PostgresServer.start();
			await use(server);
		},
		{ scope: "file" },
	],
	server: async ({ shared, skip }, use) => {
		if (!shared) return skip(missing);
		await use(shared);
	},
	database: async ({ server }, use) => use(await server.createDatabase()),
});
