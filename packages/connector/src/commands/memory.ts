import { definedItems } from "@parley/base";
import type { MemoryPayload } from "@parley/protocol";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import { noteTexts } from "../texts/notes.ts";
import type { Command } from "./command.ts";
import { type Named, removeNamed } from "./find-named.ts";
import { isPublic, textOf } from "./options.ts";

const maxShown = 10;
/** Maximum number of notes to search for a note by the end of its id. */
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
	async run({ gateway, platform, lists, onBehalf }, handled) {
		const { person, room, options } = handled.event;
		const query = textOf(options["query"]);
		const params = { limit: maxShown, ...onBehalf(person, room) };
		const { memories: found } =
			query === ""
				? await gateway.request("list_memories", params)
				: await gateway.request("query_memories", { ...params, query });
		const memories = found.filter(({ scope }) => !(isPublic(handled) && scope === "user"));
		const { list: texts } = noteTexts;
		// The hint does not name the command of a thread: without private answers there, the command would only
		// repeat the hint.
		const hint = texts.hidden({ command: platform.command("memory", {}) });
		if (memories.length < found.length && memories.length === 0) return { text: hint };
		if (memories.length === 0) return { text: query === "" ? texts.none : texts.noMatch };
		const ids = memories.map(({ memory_id }) => memory_id);
		lists.show("note", handled.event, { ids, isPublic: isPublic(handled) });
		const notes = definedItems([
			memories.map((note, index) => `${index + 1}. ${lineOf(note)}`).join("\n"),
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
	async run(context, handled) {
		const { gateway, onBehalf, platform } = context;
		const { event, key } = handled;
		const { person, room, options } = event;
		const what = textOf(options["what"]);
		const all = what.toLowerCase() === "me";
		const behalf = onBehalf(person, room);
		const notes = async (): Promise<Named[]> => {
			const { memories } = await gateway.request("list_memories", { limit: maxSearched, ...behalf });
			return memories.map(({ memory_id: id }) => ({ id, title: "" }));
		};
		const forgetWhat = async (what: { readonly person: string } | { readonly memory_id: string }) =>
			(await gateway.request("forget_memory", { ...what, key, ...behalf })).forgotten;
		const forgotten = all
			? await forgetWhat({ person: "me" })
			: await removeNamed(context, handled, {
					kind: "note",
					typed: what,
					list: platform.command("memory", room),
					all: notes,
					remove: (memory_id) => forgetWhat({ memory_id }),
					done: 1,
				});
		const { done, allDone } = noteTexts.forget;
		return { text: all ? allDone({ count: forgotten }) : done };
	},
};

function lineOf({ scope, content, tags }: MemoryPayload): string {
	const labels = tags.map((tag) => ` #${plainLine(tag, 40)}`).join("");
	return `(${noteTexts.list.scopes[scope]}${labels}): ${plainLine(content, 300)}`;
}

export const memoryCommands: readonly Command[] = [memory, forget];
