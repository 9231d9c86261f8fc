import type {
	AnyBlock,
	AnyChunk,
	MessageMetadata,
	PlanBlock,
	RichTextBlock,
	TaskCardBlock,
	TaskUpdateChunk,
} from "@slack/types";
import { blockLimits, long } from "../blocks/block-limits.ts";
import { checkBlocks, numbered, violated } from "../blocks/contents.ts";
import { changeMessage } from "./messages.ts";
import type { MessageRecord, StreamRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { State } from "./state.ts";
import { settleStream } from "./stream-state.ts";

type Mode = StreamRecord["mode"];

interface Piece {
	readonly markdown_text?: string | undefined;
	readonly chunks?: readonly AnyChunk[] | undefined;
}

interface Grown {
	readonly text: string;
	readonly blocks: readonly AnyBlock[];
}

/**
 * Returns the chunks of a request. Throws if `markdown_text` and `chunks` are both present, or if a chunk has invalid
 * blocks. Also throws for a text chunk of more than 12,000 characters, the limit in the comments of @slack/web-api.
 */
export function chunksOf(state: State, { markdown_text: markdown, chunks }: Piece): readonly AnyChunk[] {
	if (markdown !== undefined && chunks) {
		state.violations.push("a stream takes markdown_text or chunks, not both");
		throw new Refusal("invalid_arguments");
	}
	const all = chunks ?? (markdown === undefined ? [] : [{ type: "markdown_text", text: markdown } as const]);
	for (const chunk of all) {
		if (chunk.type === "markdown_text" && long(chunk.text) > blockLimits.markdown) {
			throw violated(state, "msg_too_long");
		}
		if (chunk.type === "blocks") checkBlocks(state, chunk.blocks, blockLimits.blocksOfMessage);
	}
	return all;
}

/** Adds chunks to the content. Slack documents no limit of a complete stream, so the settings define one. */
export function grow(state: State, before: Grown, chunks: readonly AnyChunk[], mode: Mode): Grown {
	const after = chunks.reduce<Grown>(({ text, blocks }, chunk) => {
		const added = chunk.type === "markdown_text" ? chunk.text : "";
		return { text: text + added, blocks: withChunk(state, blocks, chunk, mode) };
	}, before);
	if (long(after.text) > state.settings.streamText) throw new Refusal("msg_too_long");
	return after;
}

function withChunk(state: State, blocks: readonly AnyBlock[], chunk: AnyChunk, mode: Mode): AnyBlock[] {
	switch (chunk.type) {
		case "markdown_text":
			return withText(state, blocks, chunk.text);
		case "blocks":
			return [...blocks, ...numbered(state, chunk.blocks)];
		case "task_update":
			return mode === "plan"
				? withPlan(state, blocks, (plan) => ({ tasks: withTask(state, tasksOf(plan), chunk) }))
				: withTask(state, blocks, chunk);
		case "plan_update":
			// A timeline does not show the title of a plan.
			return mode === "plan" ? withPlan(state, blocks, () => ({ title: chunk.title })) : [...blocks];
	}
}

function withText(state: State, blocks: readonly AnyBlock[], added: string): AnyBlock[] {
	if (added === "") return [...blocks];
	const last = blocks.at(-1);
	if (last?.type !== "markdown" || !("text" in last)) {
		return [...blocks, ...numbered(state, [{ type: "markdown", text: added }])];
	}
	return blocks.with(-1, { ...last, text: `${String(last.text)}${added}` } as AnyBlock);
}

function withPlan(
	state: State,
	blocks: readonly AnyBlock[],
	change: (plan: PlanBlock) => Partial<PlanBlock>,
): AnyBlock[] {
	const index = blocks.findIndex(isPlan);
	const known = blocks.find(isPlan) ?? {
		...{ type: "plan", title: "", tasks: [] },
		block_id: state.stamps.id("b"),
	};
	const changed = { ...known, ...change(known) };
	return index < 0 ? [...blocks, changed] : blocks.with(index, changed);
}

function isPlan(block: AnyBlock): block is PlanBlock {
	return block.type === "plan";
}

function isTask(block: AnyBlock): block is TaskCardBlock {
	return block.type === "task_card";
}

function tasksOf({ tasks = [] }: PlanBlock): TaskCardBlock[] {
	// The cast is safe because every task of a stream is a card.
	return tasks as TaskCardBlock[];
}

/** Adds the card of a task, or updates it. An updated card keeps its position and all fields that the update omits. */
function withTask<Block extends AnyBlock>(
	state: State,
	blocks: readonly Block[],
	update: TaskUpdateChunk,
): (Block | TaskCardBlock)[] {
	const { id, title, status, details, output, sources } = update;
	const known = blocks.find((block) => isTask(block) && block.task_id === id);
	const changed: TaskCardBlock = {
		...{ block_id: state.stamps.id("b") },
		...known,
		...{ type: "task_card", task_id: id, title, status },
		...(details !== undefined && { details: richText(details) }),
		...(output !== undefined && { output: richText(output) }),
		...(sources && { sources }),
	};
	return known ? blocks.with(blocks.indexOf(known), changed as Block) : [...blocks, changed];
}

function richText(text: string): RichTextBlock {
	const section = { type: "rich_text_section", elements: [{ type: "text", text }] } as const;
	return { type: "rich_text", elements: [{ ...section, elements: [...section.elements] }] };
}

/**
 * Returns the running stream of a message: https://docs.slack.dev/reference/methods/chat.appendStream and
 * https://docs.slack.dev/reference/methods/chat.stopStream
 */
export function runningStream(state: State, message: MessageRecord): StreamRecord {
	if (message.author !== state.app.user) throw new Refusal("message_not_owned_by_app");
	const stream = settleStream(state, message);
	if (stream?.state !== "in_progress") throw new Refusal("message_not_in_streaming_state");
	return stream;
}

interface Growing {
	readonly chunks: readonly AnyChunk[];
	/** Change of the stream. `stop` also ends the stream. */
	readonly cause: "append" | "stop";
	/** Blocks that are placed below all other content. */
	readonly blocks?: readonly AnyBlock[];
	readonly metadata?: MessageMetadata | undefined;
}

/** Adds chunks to the stream of a message, and sends the change as events. */
export function growMessage(state: State, message: MessageRecord, growing: Growing): void {
	const stream = runningStream(state, message);
	const { chunks, cause, blocks = [], metadata } = growing;
	const grown = grow(state, message, chunks, stream.mode);
	if (cause === "stop") Object.assign(stream, { state: "completed", isFinished: true });
	const change = {
		...{ text: grown.text, blocks: [...grown.blocks, ...numbered(state, blocks)] },
		...(metadata && { metadata }),
	};
	changeMessage(state, message, change, { by: state.app.user, isEdit: false, cause });
}
