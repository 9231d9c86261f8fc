import { defined, definedItems } from "@parley/base";
import type { SkillPayload } from "@parley/protocol";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import type { RoomContext } from "../rooms/handler-context.ts";
import { commandTexts } from "../texts/commands.ts";
import type { Command } from "./command.ts";
import { maxSuggestions, textOf } from "./options.ts";

const maxListed = 25;

const skill: Command<RoomContext> = {
	name: "skill",
	also: "skills",
	description: commandTexts.skill.description,
	options: [
		{
			name: "name",
			type: "string",
			required: false,
			completes: true,
			max: 6000,
			description: commandTexts.skill.name,
		},
		{
			name: "arguments",
			type: "string",
			required: false,
			max: 6000,
			description: commandTexts.skill.arguments,
		},
	],
	async run(context, { event, key, message }) {
		const { person, room, options, attachments } = event;
		// In a text command, the option `name` also contains the arguments.
		const requested = `${textOf(options["name"]).replace(/^\//, "")} ${textOf(options["arguments"])}`.trim();
		if (requested === "") {
			const { session } = await context.sessionOf(person, room, key);
			const list = await context.gateway.request("list_skills", {
				session_id: session,
				...context.onBehalf(person, room),
			});
			return { text: listed(list.skills.filter(isForPeople), context.platform.command("skill", room)) };
		}
		const { failures } = await context.send(person, room, {
			text: `/${requested}`,
			attachments,
			key: `${key}/say`,
			...defined({ message }),
		});
		const { started, startedWithout } = commandTexts.skill;
		if (failures.length === 0) return { text: started };
		return { text: startedWithout({ files: failures.map((one) => `- ${one}`).join("\n") }) };
	},
	async complete(context, { option, typed, person, room }) {
		if (option !== "name") return [];
		// Completion opens no session. Without a session, the gateway lists only skills of the data directory.
		const current = (await context.sessions(person, room)).find((one) => one.current);
		const { skills } = await context.gateway.request("list_skills", {
			session_id: current?.session ?? null,
			...context.onBehalf(person, room),
		});
		const word = typed.trim().toLowerCase().replace(/^\//, "");
		return skills
			.filter(isForPeople)
			.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(word))
			.slice(0, maxSuggestions)
			.map(({ name, description }) => ({ value: name, label: `${name}: ${description}`.slice(0, 100) }));
	},
};

function isForPeople({ user_invocable: people, trust }: SkillPayload): boolean {
	return people && (trust === "operator" || trust === "trusted");
}

function listed(skills: readonly SkillPayload[], command: string): string {
	const { skill: texts } = commandTexts;
	if (skills.length === 0) return texts.none;
	const lines = skills.slice(0, maxListed).map(({ name, argument_hint: hint = "", description }) => {
		return `- \`${command} ${plainLine(`${name} ${hint}`.trim(), 100)}\` ${plainLine(description, 200)}`;
	});
	const more = skills.length - lines.length;
	return definedItems([...lines, more > 0 ? texts.more({ count: more }) : undefined]).join("\n");
}

export const skillCommands: readonly Command<RoomContext>[] = [skill];
