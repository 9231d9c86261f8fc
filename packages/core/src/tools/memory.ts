import { defined } from "@parley/base";
import * as z from "zod";
import { notesResult } from "../text/notes-text.ts";
import { mixedScriptNotes, visible } from "../text/visible.ts";
import { type Memory, memoryLimits, memoryScopes, type NewMemory } from "../vocabulary/memory.ts";
import {
	defineTool,
	type Tool,
	type ToolContext,
	type ToolPlan,
	type ToolResult,
} from "../vocabulary/tool.ts";
import { memoryTexts } from "./texts.ts";

const audiences = {
	user: memoryTexts.forPerson,
	channel: memoryTexts.forChannel,
	everyone: memoryTexts.forEveryone,
} as const;

const note = () =>
	z.strictObject({
		content: z.string().min(1).max(memoryLimits.text).describe(memoryTexts.text),
		scope: z.enum(memoryScopes).default("user").describe(memoryTexts.scope),
		tags: z
			.array(z.string().min(1).max(memoryLimits.tag))
			.max(memoryLimits.tags)
			.default([])
			.describe(memoryTexts.tags),
	});
type Note = z.infer<ReturnType<typeof note>>;

const storeMemory = defineTool<Note>({
	name: "store_memory",
	description: memoryTexts.remember,
	parameters: note,
	accepts: {
		names: ["remember", "save_memory", "add_memory"],
		parameters: { content: { names: ["text", "note", "memory"] } },
	},
	// After a crash, the repeated call finds the note that the first call stored.
	effect: "idempotent",
	usual: ["memory-write"],
	async plan(args, { memories }) {
		const { text, scope, tags } = memories.check(noteOf(args));
		const labels = tags.map((tag) => ` #${tag}`).join("");
		return {
			label: `remember ${audiences[scope]}: ${visible(`${text}${labels}`)}`,
			preview: "",
			binding: {},
			classes: [changeOf(scope)],
			notes: mixedScriptNotes(text),
		};
	},
	async run(args, _plan, { memories }) {
		const { id, scope, text } = await memories.store(noteOf(args));
		const redacted = text.includes("[redacted]") && !args.content.includes("[redacted]");
		const warning = redacted ? memoryTexts.redacted : "";
		return { text: `stored ${id} ${audiences[scope]}${warning}`, failed: false };
	},
});

const listed = () => ({
	scope: z.enum(memoryScopes).optional().describe(memoryTexts.ofScope),
	limit: z.int().min(1).max(50).default(10).describe(memoryTexts.limit),
});

const query = () =>
	z.strictObject({
		query: z.string().trim().min(1).max(2_000).describe(memoryTexts.query),
		...listed(),
	});

const queryMemories = defineTool<z.infer<ReturnType<typeof query>>>({
	name: "query_memories",
	description: memoryTexts.search,
	parameters: query,
	accepts: {
		names: ["search_memories", "recall"],
		parameters: { query: { names: ["q", "text", "words"] }, limit: { atMost: true } },
	},
	effect: "none",
	usual: ["memory-read"],
	plan: async (args) => readPlan(memoryTexts.searchLabel(visible(args.query))),
	run: (args, _plan, context) => find(args, context, memoryTexts.noneFound),
});

const list = () => z.strictObject(listed());

const listMemories = defineTool<z.infer<ReturnType<typeof list>>>({
	name: "list_memories",
	description: memoryTexts.list,
	parameters: list,
	accepts: { parameters: { limit: { atMost: true } } },
	effect: "none",
	usual: ["memory-read"],
	plan: async () => readPlan(memoryTexts.listLabel),
	run: (args, _plan, context) => find(args, context, memoryTexts.none),
});

const forgotten = () =>
	z.strictObject({
		memory_id: z.string().min(1).max(128).describe(memoryTexts.id),
	});

const forgetMemory = defineTool<z.infer<ReturnType<typeof forgotten>>>({
	name: "forget_memory",
	description: memoryTexts.forget,
	parameters: forgotten,
	accepts: { parameters: { memory_id: { names: ["id", "memory"] } } },
	// After a crash, it is unknown whether the note was deleted. If it was deleted, a second attempt would report that
	// the note does not exist.
	effect: "effectful",
	usual: ["memory-write"],
	async plan({ memory_id: id }, { memories }) {
		const { scope, text } = await memories.deletable(id);
		return {
			label: `forget ${visible(id)} ${audiences[scope]}: ${visible(text)}`,
			preview: "",
			classes: [changeOf(scope)],
			binding: { note: text },
			notes: [],
		};
	},
	async run({ memory_id: id }, _plan, { memories }) {
		await memories.forget(id);
		return { text: `deleted ${id}`, failed: false };
	},
});

/** Tools for notes that outlive the session. */
export const memoryTools: readonly Tool[] = [storeMemory, queryMemories, listMemories, forgetMemory];

function noteOf({ content, scope, tags }: Note): NewMemory {
	return { text: content, scope, tags };
}

function changeOf(scope: Memory["scope"]): "memory-everyone" | "memory-write" {
	return scope === "everyone" ? "memory-everyone" : "memory-write";
}

function readPlan(label: string): ToolPlan {
	return { label, classes: ["memory-read"], preview: "", binding: {}, notes: [] };
}

async function find(
	filter: Parameters<ToolContext["memories"]["find"]>[0],
	{ memories }: ToolContext,
	none: string,
): Promise<ToolResult> {
	const notes = await memories.find(filter);
	if (notes.length === 0) return { text: none, failed: false };
	const text = notesResult(notes);
	const isPersonal = memories.inChat && notes.some(({ scope }) => scope === "user");
	// The notes are about the run's person. Other people in the channel must not see the notes, so later runs must not get
	// the notes.
	return {
		text,
		failed: false,
		...defined({
			later: isPersonal ? memoryTexts.onlyThisRun(notes.length) : undefined,
		}),
	};
}
