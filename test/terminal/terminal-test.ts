import { test as plainTest } from "vitest";
import { Setup } from "./setup.ts";

/** A test that shares a gateway with the other tests of its file. */
export const test = plainTest.extend<{ setup: Setup }>({
	setup: [
		// biome-ignore lint/correctness/noEmptyPattern: a fixture without other fixtures has an empty pattern
		async ({}, use) => {
			const setup = await Setup.open();
			await use(setup);
			await setup.close();
		},
		{ scope: "file" },
	],
});
