import { readFileSync } from "node:fs";
import { parseJson } from "@parley/base";
import { hasBubblewrap } from "@parley/core/testing";
import { eventNames, methods } from "@parley/protocol";
import { expect, test } from "vitest";
import { readScenes } from "./examples.ts";
import { play } from "./play.ts";

const scenes = readScenes(readFileSync(new URL("../../docs/protocols/ozzie.md", import.meta.url), "utf8"));
const frames = scenes.flatMap(({ steps }) =>
	steps.flatMap((step) => (step.kind === "frame" ? [step.value] : [])),
);

/** Events in lists of HTTP responses, because some events occur only there. */
const listed = scenes.flatMap(({ steps }) =>
	steps.flatMap((step) => (step.kind === "http" && step.answer.startsWith("[") ? namesIn(step.answer) : [])),
);

function namesIn(answer: string): unknown[] {
	const list = parseJson(answer);
	return Array.isArray(list) ? list.map((item) => Object(item).type) : [];
}

/** Headings of scenes that require a sandbox. */
const needSandbox = new Set(["Trusted channels"]);

for (const scene of scenes)
	test.skipIf(!hasBubblewrap && needSandbox.has(scene.heading))(scene.heading, () => play(scene));

test("every scene that needs a sandbox exists", () => {
	const headings = new Set(scenes.map(({ heading }) => heading));
	expect([...needSandbox].filter((heading) => !headings.has(heading))).toEqual([]);
});

test("every method has an example", () => {
	const shown = new Set(frames.map(({ method }) => method));
	expect(Object.keys(methods).filter((name) => !shown.has(name))).toEqual([]);
});

test("every event has an example", () => {
	const shown = new Set([...frames.map(({ event }) => event), ...listed]);
	expect(eventNames.filter((name) => !shown.has(name))).toEqual([]);
});
