import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { doStep } from "./do-step.ts";
import type { Notebook } from "./notebook.ts";
import type { PlayedScene } from "./played-scene.ts";
import { has, parley, shownPosts } from "./shown-posts.ts";
import type { Happening, Operating } from "./step.ts";

type Ruling = Extract<
	Happening,
	| { archives: unknown }
	| { locks: unknown }
	| { reopens: unknown }
	| { forbids: unknown }
	| { opensTo: unknown }
	| { removes: unknown }
	| { moderates: unknown }
>;
type Running = Extract<
	Happening,
	{ restarts: unknown } | { stops: unknown } | { starts: unknown } | { losesDatabase: true }
>;

export async function happen(notebook: Notebook, step: Happening): Promise<void> {
	const { played } = notebook;
	const { site } = played;
	if ("together" in step) for (const doing of step.together) await doStep(notebook, doing);
	else if ("calls" in step) {
		notebook.name(step.calls, await notebook.message(step.on, site.people.Mia, step.in));
	} else if ("gets" in step) await writeFile(join(site.directory, step.file), step.gets);
	else if ("typesUntil" in step) await typesUntil(played, step);
	else if ("passes" in step) {
		await played.calm();
		await played.sceneGateway.pass(step.passes);
	} else if ("fault" in step) site.fail(step.fault, step.is);
	else if ("cuts" in step) site.cut();
	else if ("operator" in step) await operate(notebook, step);
	else if ("does" in step) await step.does(played);
	else if (isRuling(step)) await rule(notebook, step);
	else await run(played, step);
}

/** Maximum milliseconds of a `typesUntil` step. */
const maxRunMs = 180_000;

async function typesUntil(
	played: PlayedScene,
	{ typesUntil: sight, in: name = "general" }: Extract<Happening, { typesUntil: unknown }>,
): Promise<void> {
	const { site } = played;
	const room = site.room(name, site.people.Mia);
	let gap = 0;
	await played.calm();
	for (let passed = 0; passed < maxRunMs; passed += 1000) {
		await played.sceneGateway.pass(1000);
		await played.calm();
		if (shownPosts(site, room).some((post) => has(post, site.platformForm(sight)))) return;
		gap = room.typing().includes(parley) ? 0 : gap + 1000;
		if (gap >= site.typingGapMs) throw new Error(`after ${passed} ms, there was no typing for ${gap} ms`);
	}
	throw new Error(`no such post in ${maxRunMs} ms`);
}

function isRuling(step: Happening): step is Ruling {
	return ["archives", "locks", "reopens", "forbids", "opensTo", "removes", "moderates"].some(
		(outcome) => outcome in step,
	);
}

async function rule(notebook: Notebook, step: Ruling): Promise<void> {
	const { site } = notebook.played;
	if ("archives" in step) {
		site.archive(site.room(step.archives, site.people.Mia), step.locked ?? false);
		return;
	}
	if ("locks" in step) return site.lock(site.room(step.locks, site.people.Mia));
	if ("reopens" in step) return site.reopen(site.room(step.reopens, site.people.Mia));
	const room = site.room(step.in ?? "general", site.people.Mia);
	if ("forbids" in step) site.forbid(room, step.forbids);
	else if ("opensTo" in step) site.open(room, site.people[step.opensTo]);
	else if ("removes" in step) site.remove(room);
	else site.moderate(room, await notebook.message(step.moderates, site.people.Olga, step.in));
}

async function operate(
	notebook: Notebook,
	{ operator, asks: requestParams, notes, has = "" }: Operating,
): Promise<void> {
	const { played } = notebook;
	// Replaces values only inside strings, which keeps the type of the parameters.
	const params = parseJson(notebook.filled(JSON.stringify(requestParams))) as typeof requestParams;
	let answer: object = {};
	const isFound = async (): Promise<boolean> => {
		answer = await played.operator.request(operator, params);
		const text = JSON.stringify(answer);
		return typeof has === "string" ? text.includes(has) : has.test(text);
	};
	await played.sceneGateway.until(isFound, `the answer of ${operator} has ${has}`);
	if (notes) notebook.noted = String(Object.entries(answer).find(([name]) => name === notes)?.[1]);
}

async function run(played: PlayedScene, step: Running): Promise<void> {
	if ("losesDatabase" in step) {
		await played.loseDatabase();
		return played.start();
	}
	const stops = "restarts" in step ? step.restarts : "stops" in step ? step.stops : undefined;
	const starts = "restarts" in step ? step.restarts : "starts" in step ? step.starts : undefined;
	if (stops === "connector" || stops === "both") await played.stop();
	if (stops === "gateway" || stops === "both") await played.sceneGateway.stop();
	if (starts === "gateway" || starts === "both") await played.sceneGateway.start();
	if (starts === "connector" || starts === "both") await played.start();
}
