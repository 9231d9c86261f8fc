import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import type { Channel } from "../../simulators/discord/people/channel.ts";
import { deleteMessage } from "../../simulators/discord/world/messages.ts";
import { doStep } from "./do-step.ts";
import type { Notebook } from "./notebook.ts";
import type { Happening, Operating } from "./step.ts";
import type { Town } from "./town.ts";

type Ruling = Extract<
	Happening,
	{ forbids: unknown } | { opensTo: unknown } | { removes: unknown } | { moderates: unknown }
>;
type Running = Extract<
	Happening,
	{ restarts: unknown } | { stops: unknown } | { starts: unknown } | { losesDatabase: true }
>;

/** Lets something happen to everybody. */
export async function happen(notebook: Notebook, step: Happening): Promise<void> {
	const { town } = notebook;
	const { world, site } = town;
	if ("together" in step) for (const doing of step.together) await doStep(notebook, doing);
	else if ("gets" in step) await writeFile(join(site.directory, step.file), step.gets);
	else if ("passes" in step) {
		await town.calm();
		await town.city.pass(step.passes);
	} else if ("fault" in step) world.network.next(step.fault, step.is);
	else if ("cuts" in step) world.gateway.drop();
	else if ("operator" in step) await operate(notebook, step);
	else if ("does" in step) await step.does(town);
	else if ("archives" in step) {
		site.room(step.archives, site.people.Mia).archive({ locked: step.locked ?? false });
	} else if ("forbids" in step || "opensTo" in step || "removes" in step || "moderates" in step) {
		await rule(notebook, step, site.room(step.in ?? "general", site.people.Mia));
	} else await run(town, step);
}

/** What those who run the server do. */
async function rule(notebook: Notebook, step: Ruling, room: Channel): Promise<void> {
	const { world, site } = notebook.town;
	if ("forbids" in step) room.permit(world.bot, { deny: step.forbids });
	else if ("opensTo" in step) room.permit(site.people[step.opensTo], { allow: ["ViewChannel"] });
	else if ("removes" in step) room.delete();
	else {
		const { Olga } = site.people;
		const { id } = await notebook.message(step.moderates, Olga, step.in);
		deleteMessage(world.state, Olga.user, world.state.message(room.record, id));
	}
}

async function operate(notebook: Notebook, { operator, asks, notes }: Operating): Promise<void> {
	const { town } = notebook;
	// It is what was asked, with what was noted in its texts.
	const params = parseJson(notebook.filled(JSON.stringify(asks))) as typeof asks;
	const answer: object = await town.city.through(town.operator.request(operator, params));
	if (notes) notebook.noted = String(Object.entries(answer).find(([name]) => name === notes)?.[1]);
}

async function run(town: Town, step: Running): Promise<void> {
	if ("losesDatabase" in step) {
		await town.loseDatabase();
		return town.start();
	}
	const stops = "restarts" in step ? step.restarts : "stops" in step ? step.stops : undefined;
	const starts = "restarts" in step ? step.restarts : "starts" in step ? step.starts : undefined;
	if (stops === "connector" || stops === "both") await town.stop();
	if (stops === "gateway" || stops === "both") await town.city.stop();
	if (starts === "gateway" || starts === "both") await town.city.start();
	if (starts === "connector" || starts === "both") await town.start();
}
