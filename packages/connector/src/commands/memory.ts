import { defined, definedItems } from "@parley/base";
import type { MemoryPayload } from "@parley/protocol";
import { plain } from "../conversation/vocabulary/plain.ts";
import type { Command } from "./command.ts";
import { isPublic, textOf } from "./options.ts";

const maxShown = 10;

const memory: Command = {
	name: "memory",
	description: "Show the notes that I keep about you, this channel and everyone",
	options: [
		{
			name: "query",
			type: "string",
			required: false,
			max: 500,
			description: "Words to search for",
		},
	],
	async run({ gateway, platform, onBehalf }, handled) {
		const { person, room, options } = handled.event;
		const query = textOf(options["query"]);
		const params = { limit: maxShown, ...onBehalf(person, room) };
		const { memories: found } =
			query === ""
				? await gateway.request("list_memories", params)
				: await gateway.request("query_memories", { ...params, query });
		const memories = found.filter(({ scope }) => !(isPublic(handled) && scope === "user"));
		const shown = platform.command("memory", room);
		const hint = `Notes about you are not shown in this channel. \`${shown}\` shows them to you alone.`;
		if (memories.length < found.length && memories.length === 0) return { text: hint };
		if (memories.length === 0)
			return { text: query === "" ? "I have no notes here." : "No note contains these words." };
		const forget = platform.command("forget", room);
		const notes = definedItems([
			memories.map(lineOf).join("\n"),
			memories.length < found.length ? hint : undefined,
			`\`${forget} ID\` deletes a note, \`${forget} me\` all of yours.`,
		]);
		return { text: notes.join("\n\n") };
	},
};

const forget: Command = {
	name: "forget",
	description: "Delete one of my notes, or all notes about you and by you",
	options: [
		{
			name: "what",
			type: "string",
			required: true,
			min: 1,
			max: 128,
			description: "The id of a note, or me for all of yours",
		},
	],
	async run({ gateway, onBehalf }, { event: { person, room, options }, key }) {
		const what = textOf(options["what"]);
		const all = what.toLowerCase() === "me";
		const { forgotten } = await gateway.request("forget_memory", {
			...defined({ person: all ? "me" : undefined, memory_id: all ? undefined : what }),
			key,
			...onBehalf(person, room),
		});
		if (all)
			return { text: `Deleted ${forgotten} ${forgotten === 1 ? "note" : "notes"} about you and by you.` };
		return { text: "Deleted." };
	},
};

const scopes = { user: "about you", channel: "this channel", everyone: "everyone" } as const;

function lineOf({ memory_id, scope, content, tags }: MemoryPayload): string {
	const labels = tags.map((tag) => ` #${plain(tag, 40)}`).join("");
	return `- \`${memory_id}\` (${scopes[scope]}${labels}): ${plain(content, 300)}`;
}

/** Commands for the notes of the agent. */
export const memoryCommands: readonly Command[] = [memory, forget];
