import { readFileSync } from "node:fs";
import { eventNames, methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { readScenes } from "./examples.ts";
import { play } from "./play.ts";

const scenes = readScenes(readFileSync(new URL("../../docs/protocols/ozzie.md", import.meta.url), "utf8"));
const frames = scenes.flatMap(({ steps }) =>
	steps.flatMap((step) => (step.kind === "frame" ? [step.value] : [])),
);

test.each(scenes.map((scene) => [scene.heading, scene] as const))("%s", (_heading, scene) => play(scene));

test("every method has an example", () => {
	const shown = new Set(frames.map(({ method }) => method));
	expect(Object.keys(methods).filter((name) => !shown.has(name))).toEqual([]);
});

test("every event has an example", () => {
	const shown = new Set(frames.map(({ event }) => event));
	expect(eventNames.filter((name) => !shown.has(name))).toEqual([]);
});
