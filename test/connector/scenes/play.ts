import { join } from "node:path";
import { checkExpectation } from "./check-expectation.ts";
import { doStep } from "./do-step.ts";
import { findInternals, readIdEnds } from "./find-internals.ts";
import { happen } from "./happen.ts";
import { Notebook } from "./notebook.ts";
import { PlayedScene } from "./played-scene.ts";
import type { SceneGateway } from "./scene-gateway.ts";
import { shownPosts } from "./shown-posts.ts";
import type { Doing, Expectation, Scene, Step } from "./step.ts";

const outcomes = ["says", "replies", "edits", "deletes", "reacts", "opensThread"];
const orders = ["clicks", "chooses", "commands", "types"];
const sights = [
	"shows",
	"showsOnly",
	"hides",
	"answered",
	"answeredNothing",
	"form",
	"typing",
	"notified",
	"notes",
	"stuck",
];

/**
 * Plays a scene, then calls `show`. Rejects with the failed step or the faults, followed by the posts and log
 * lines.
 */
export async function play(
	sceneGateway: SceneGateway,
	scene: Scene,
	show?: (played: PlayedScene) => void,
): Promise<void> {
	if (!sceneGateway.runs) await sceneGateway.start();
	const before = sceneGateway.log.records.length;
	await using played = await PlayedScene.open(sceneGateway, sceneGateway.site(scene));
	const notebook = new Notebook(played);
	for (const [index, step] of scene.steps.entries()) {
		try {
			await performStep(notebook, step);
		} catch (cause) {
			const why = cause instanceof Error ? cause.message : String(cause);
			const description = JSON.stringify(step, written);
			throw new Error(`step ${index + 1}, ${description}: ${why}\n${played.report()}`, { cause });
		}
	}
	await played.settle();
	show?.(played);
	await check(played, scene, before);
}

export async function performStep(notebook: Notebook, step: Step): Promise<void> {
	if (isExpectation(step)) return checkExpectation(notebook, step);
	if (!isDoing(step)) return happen(notebook, step);
	await notebook.played.calm();
	await notebook.played.sceneGateway.pass(1000);
	await doStep(notebook, step);
}

async function check(played: PlayedScene, { errors = [] }: Scene, before: number): Promise<void> {
	const { site, log, sceneGateway } = played;
	const bad = [...log.records, ...sceneGateway.log.records.slice(before)]
		.filter(({ level, message }) => level === "error" && !errors.some((error) => error.test(message)))
		.map(({ message, fields }) => `logged: ${message} ${String(fields["error"] ?? fields["reason"] ?? "")}`);
	const faults = [...site.drainFaults(), ...bad, ...(await internalsIn(played))];
	if (faults.length > 0) throw new Error(`${faults.join("\n")}\n${played.report()}`);
}

async function internalsIn({ site, sceneGateway }: PlayedScene): Promise<string[]> {
	const viewers = [undefined, ...Object.values(site.people)];
	const posts = site.rooms().flatMap((room) => viewers.flatMap((viewer) => shownPosts(site, room, viewer)));
	const { memoryDirectory } = sceneGateway;
	const internals = {
		directories: [memoryDirectory],
		idEnds: await readIdEnds(join(memoryDirectory, "data")),
	};
	const lines = [...new Set(posts)].flatMap((post) => findInternals(post, internals));
	return [...new Set(lines)].map((line) => `a post has an internal name: ${line}`);
}

function isDoing(step: Step): step is Doing {
	return [...outcomes, ...orders].some((outcome) => outcome in step);
}

function isExpectation(step: Step): step is Expectation {
	const isSight = sights.some((sight) => sight in step) && !("operator" in step);
	return isSight || ("file" in step && "has" in step);
}

function written(_: string, value: unknown): unknown {
	return value instanceof RegExp ? String(value) : value;
}
