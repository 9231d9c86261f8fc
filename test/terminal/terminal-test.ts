import { test as plainTest } from "vitest";
import { Place } from "./place.ts";

/** A test with a gateway that the tests of its file share. */
export const test = plainTest.extend<{ place: Place }>({
	place: [
		// biome-ignore lint/correctness/noEmptyPattern: a fixture that needs no other one is written like this
		async ({}, use) => {
			const place = await Place.open();
			await use(place);
			await place.close();
		},
		{ scope: "file" },
	],
});
