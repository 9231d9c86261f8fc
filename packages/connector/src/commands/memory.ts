import { definedItems } from "@parley/base";
import type { MemoryPayload } from "@parley/protocol";
import { shortId } from "../conversation/tasks/task-state.ts";
import { plain } from "../conversation/vocabulary/plain.ts";
import { noteTexts } from "../texts/notes.ts";
import type { Command } from "./command.ts";
import { isPublic, removeByEnd, textOf } from "./options.ts";

const maxShown = 10;
/** Maximum notes among which the end of an id is searched. */
const maxSearched = 1000;

const memory: Command = {
	name: "memory",
	description: noteTexts.list.description,
	options: [
		{
			name: "query",
			type: "string",
			required: false,
			max: 500,
			description: noteTexts.list.query,
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
		const { list: texts } = noteTexts;
		const hint = texts.hidden({ command: platform.command("memory", room) });
		if (memories.length < found.length && memories.length === 0) return { text: hint };
		if (memories.length === 0) return { text: query === "" ? texts.none : texts.noMatch };
		const notes = definedItems([
			memories.map(lineOf).join("\n"),
			memories.length < found.length ? hint : undefined,
			texts.howToDelete({ command: platform.command("forget", room) }),
		]);
		return { text: notes.join("\n\n") };
	},
};

const forget: Command = {
	name: "forget",
	description: noteTexts.forget.description,
	options: [
		{
			name: "what",
			type: "string",
			required: true,
			min: 1,
			max: 128,
			description: noteTexts.forget.note,
		},
	],
	async run({ gateway, onBehalf }, { event: { person, room, options }, key }) {
		const what = textOf(options["what"]);
		const all = what.toLowerCase() === "me";
		const behalf = onBehalf(person, room);
		const ids = async (): Promise<string[]> => {
			const { memories } = await gateway.request("list_memories", { limit: maxSearched, ...behalf });
			return memories.map(({ memory_id }) => memory_id);
		};
		const forgetWhat = async (what: { readonly person: string } | { readonly memory_id: string }) =>
			(await gateway.request("forget_memory", { ...what, key, ...behalf })).forgotten;
		const forgotten = all
			? await forgetWhat({ person: "me" })
			: await removeByEnd(what, ids, { remove: (memory_id) => forgetWhat({ memory_id }), done: 1 });
		const { done, allDone } = noteTexts.forget;
		return { text: all ? allDone({ count: forgotten }) : done };
	},
};

function lineOf({ memory_id, scope, content, tags }: MemoryPayload): string {
	const labels = tags.map((tag) => ` #${plain(tag, 40)}`).join("");
	return `- \`${shortId(memory_id)}\` (${noteTexts.list.scopes[scope]}${labels}): ${plain(content, 300)}`;
}

export const memoryCommands: readonly Command[] = [memory, forget];
