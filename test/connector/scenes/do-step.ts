import { defined } from "@parley/base";
import { attempt, type Notebook } from "./notebook.ts";
import type { Player, SentInteraction } from "./site.ts";
import type { Doing } from "./step.ts";

type Pressing = Extract<Doing, { clicks: string } | { chooses: readonly string[] }>;
type Commanding = Extract<Doing, { commands: string }>;
type Typing = Extract<Doing, { types: string }>;
type Changing = Exclude<Doing, Pressing | Commanding | Typing | { says: string } | { replies: string }>;

export async function doStep(notebook: Notebook, step: Doing): Promise<void> {
	const { site } = notebook.played;
	const person = site.people[step.by ?? "Mia"];
	if ("says" in step) {
		const { says: text, as = text, attaches = [], in: room = "general" } = step;
		const forwards = step.forwards === undefined ? undefined : await notebook.message(step.forwards, person);
		const where = { in: site.room(room, person), attachments: attaches, ...defined({ forwards }) };
		notebook.name(as, person.says(notebook.written(text), where));
	} else if ("replies" in step) {
		const { replies, as = replies, quiet = false, in: room = "general" } = step;
		const replyTo = await notebook.message(step.to, person, room);
		const where = { in: site.room(room, person), replyTo, quiet };
		notebook.name(as, person.says(notebook.written(replies), where));
	} else if ("commands" in step) notebook.interaction = await command(notebook, step, person);
	else if ("types" in step) await type(notebook, step, person);
	else if ("clicks" in step || "chooses" in step) notebook.interaction = await press(notebook, step, person);
	else await change(notebook, step, person);
}

async function change(notebook: Notebook, step: Changing, person: Player): Promise<void> {
	const find = (words: string) => notebook.message(words, person, step.in);
	if ("edits" in step) person.edits(await find(step.edits), notebook.written(step.into));
	else if ("deletes" in step) person.deletes(await find(step.deletes));
	else if ("reacts" in step) person.reacts(step.reacts, { on: await find(step.on) });
	else person.opensThread(step.opensThread, { of: await find(step.of) });
}

async function command(notebook: Notebook, step: Commanding, person: Player): Promise<SentInteraction> {
	const { commands, with: options = {}, on, in: room = "general" } = step;
	const values = Object.entries(options).map(([name, value]) => [
		name,
		typeof value === "string" ? notebook.filled(value) : value,
	]);
	const target = on === undefined ? {} : { on: await notebook.message(on, person, room) };
	const where = { in: notebook.played.site.room(room, person), ...target };
	return person.commands(commands, Object.fromEntries(values), where);
}

async function press(
	notebook: Notebook,
	step: Pressing,
	person: Player,
): Promise<SentInteraction | undefined> {
	const { sceneGateway, site } = notebook.played;
	const on = step.on === undefined ? undefined : await notebook.message(step.on, person, step.in);
	const place = () => {
		if (on) return { on };
		return step.in === undefined ? {} : { in: site.room(step.in, person) };
	};
	let pressed: SentInteraction | undefined;
	const isPressed = (): boolean => {
		pressed = attempt(() => {
			if ("chooses" in step) return person.chooses(step.chooses, place());
			return step.late && on ? person.clicksLate(step.clicks, { on }) : person.clicks(step.clicks, place());
		});
		return pressed !== undefined;
	};
	await sceneGateway.until(isPressed, "there is that to press");
	if (!pressed || !("fills" in step) || !step.fills) return pressed;
	const interaction = pressed;
	await sceneGateway.until(() => interaction.form !== undefined, "a form opens");
	const fields = Object.entries(step.fills).map(([name, value]) => [name, notebook.filled(String(value))]);
	return person.submits(interaction, Object.fromEntries(fields));
}

async function type(notebook: Notebook, step: Typing, person: Player): Promise<void> {
	const { sceneGateway, site } = notebook.played;
	const typed = person.types?.(step.types, step.with, { in: site.room(step.in ?? "general", person) });
	if (!typed) return;
	const isOffered = (offer: string): boolean =>
		(typed.choices ?? []).some(({ name }) => name.includes(offer));
	await sceneGateway.until(() => step.offers.every(isOffered), `${step.offers.join()} is offered`);
}
