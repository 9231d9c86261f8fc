import { hasBubblewrap } from "@parley/core/testing";
import { afterAll, beforeAll, test } from "vitest";
import { City } from "./city.ts";
import { play } from "./play.ts";
import type { SiteClass } from "./site.ts";
import type { Scene } from "./step.ts";

/** Defines a test for each scene of the platform. All scenes share a gateway. */
export function playScenes(Place: SiteClass, all: readonly Scene[]): void {
	const scenes = all.filter(({ only = Place.platform }) => only === Place.platform);
	let city: City | undefined;
	beforeAll(async () => {
		city = await City.found(scenes, (_, parts) => new Place(parts));
	});
	afterAll(async () => {
		await city?.[Symbol.asyncDispose]();
	});
	for (const scene of scenes) {
		if (scene.todo !== undefined) {
			test.todo(`${scene.name} (${scene.todo})`);
			continue;
		}
		test(scene.name, async ({ skip }) => {
			skip(scene.sandbox === true && !hasBubblewrap, "bubblewrap is not installed here");
			if (!city) throw new Error("there is no city to play in");
			await play(city, scene);
		});
	}
}
