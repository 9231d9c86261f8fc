import { hasBubblewrap } from "@parley/core/testing";
import { afterAll, beforeAll, test } from "vitest";
import { play } from "./play.ts";
import { SceneGateway } from "./scene-gateway.ts";
import type { SiteClass } from "./site.ts";
import type { Scene } from "./step.ts";

/** Defines a test for each scene of the platform. The scenes share a gateway. */
export function playScenes(Place: SiteClass, all: readonly Scene[]): void {
	const scenes = all.filter(({ only = Place.platform }) => only === Place.platform);
	let sceneGateway: SceneGateway | undefined;
	beforeAll(async () => {
		sceneGateway = await SceneGateway.create(scenes, (_, parts) => new Place(parts));
	});
	afterAll(async () => {
		await sceneGateway?.[Symbol.asyncDispose]();
	});
	for (const scene of scenes) {
		if (scene.todo !== undefined) {
			test.todo(`${scene.name} (${scene.todo})`);
			continue;
		}
		test(scene.name, async ({ skip }) => {
			skip(scene.sandbox === true && !hasBubblewrap, "bubblewrap is not installed here");
			if (!sceneGateway) throw new Error("there is no gateway for the scene");
			await play(sceneGateway, scene);
		});
	}
}
