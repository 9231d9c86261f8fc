import { test as plainTest } from "vitest";
import { missing, PostgresServer } from "./server.ts";

interface Fixtures {
	/** One for the tests of a file. */
	readonly shared: PostgresServer | undefined;
	readonly server: PostgresServer;
	/** Where the test's own database is: for `openPostgresStore`, in any process. */
	readonly database: string;
}

/** A test on a PostgreSQL server, which it shares with the tests of its file. Skipped, and says so, where there is none. */
export const test = plainTest.extend<Fixtures>({
	shared: [
		// biome-ignore lint/correctness/noEmptyPattern: a fixture that needs no other one is written like this
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
