import { readFileSync } from "node:fs";
import { parseJson } from "@parley/base";
import { eventNames, methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { readScenes } from "./examples.ts";
import { play } from "./play.ts";

const scenes = readScenes(readFileSync(new URL("../../docs/protocols/ozzie.md", import.meta.url), "utf8"));
const frames = scenes.flatMap(({ steps }) =>
	steps.flatMap((step) => (step.kind === "frame" ? [step.value] : [])),
);

/** The events in what HTTP answers: of some sessions there is no other way to them. */
const listed = scenes.flatMap(({ steps }) =>
	steps.flatMap((step) => (step.kind === "http" && step.answer.startsWith("[") ? namesIn(step.answer) : [])),
);

function namesIn(answer: string): unknown[] {
	const list = parseJson(answer);
	return Array.isArray(list) ? list.map((item) => Object(item).type) : [];
}

test.each(scenes.map((scene) => [scene.heading, scene] as const))("%s", (_heading, scene) => play(scene));

test("every method has an example", () => {
	const shown = new Set(frames.map(({ method }) => method));
	expect(Object.keys(methods).filter((name) => !shown.has(name))).toEqual([]);
});

test("every event has an example", () => {
	const shown = new Set([...frames.map(({ event }) => event), ...listed]);
	expect(eventNames.filter((name) => !shown.has(name))).toEqual([]);
});
