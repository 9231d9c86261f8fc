import { hasBubblewrap } from "@parley/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Gallery } from "../gallery/gallery.ts";
import type { Draw } from "../gallery/post.ts";
import { normalised } from "./normalised.ts";
import { play } from "./play.ts";
import { SceneGateway } from "./scene-gateway.ts";
import { golden } from "./scenes/golden.ts";
import { readable } from "./shown-posts.ts";
import type { Site, SiteClass } from "./site.ts";
import type { Scene } from "./step.ts";

/**
 * Defines one test per golden scene, which compares Mia's final view with the stored file. The last test compares the
 * gallery page, which shows the same scenes.
 */
export function playGolden<S extends Site>(Place: SiteClass<S>, draw: Draw<S>): void {
	const sites = new Map<Scene, S>();
	const gateways: SceneGateway[] = [];
	const gallery = new Gallery(Place.platform, draw);
	const played = Object.fromEntries(
		Object.entries(golden).filter(([, { only = Place.platform }]) => only === Place.platform),
	);
	beforeAll(async () => {
		for (const scenes of Object.values(Object.groupBy(Object.values(played), sceneGatewayOf))) {
			const sceneGateway = await SceneGateway.create(scenes ?? [], (scene, parts) => {
				const site = new Place(parts);
				sites.set(scene, site);
				return site;
			});
			gateways.push(sceneGateway);
		}
	});
	afterAll(async () => {
		for (const sceneGateway of gateways) await sceneGateway[Symbol.asyncDispose]();
	});
	for (const [name, scene] of Object.entries(played)) {
		test(`final view: ${scene.name}`, async ({ skip }) => {
			skip(scene.sandbox === true && !hasBubblewrap, "bubblewrap is not installed here");
			const site = sites.get(scene);
			const sceneGateway = gateways.find((one) => one.has(scene));
			if (!sceneGateway || !site) throw new Error("there is no gateway for the scene");
			let seen = "";
			await play(sceneGateway, scene, () => {
				const { Mia } = site.people;
				seen = normalised(readable(site.room("general", Mia).transcript(Mia)));
				gallery.add(name, site);
			});
			await expect(`${seen}\n`).toMatchFileSnapshot(`golden/${Place.platform}/${name}.txt`);
		});
	}
	test("the gallery shows the posts of these conversations", async ({ skip }) => {
		skip(!gallery.isComplete, "not all conversations were played");
		await expect(gallery.page()).toMatchFileSnapshot(`../../../docs/gallery/${Place.platform}.html`);
	});
}

function sceneGatewayOf({ welcome }: Scene): "welcoming" | "usual" {
	// A gateway sends welcomes in all its scenes or in none.
	return welcome ? "welcoming" : "usual";
}
