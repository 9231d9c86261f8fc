import type { GrowingPart } from "@parley/connector";
import type { AnyChunk } from "@slack/types";
import { bodyBlocks } from "../blocks/body-blocks.ts";

const states = { running: "in_progress", completed: "complete", failed: "error" } as const;

/** Chunks of a changed part; undefined if a stream cannot show the change. */
type Change = readonly AnyChunk[] | undefined;

/** Chunks that change the sent parts into the next ones; undefined if a stream cannot show them. */
export function additions(
	sent: readonly GrowingPart[],
	next: readonly GrowingPart[],
): readonly AnyChunk[] | undefined {
	if (next.length < sent.length) return undefined;
	const chunks: AnyChunk[] = [];
	for (const [index, part] of next.entries()) {
		const change = part.type === "call" ? callChange(sent[index], part) : textChange(sent[index], part);
		// Text goes to the end of the message.
		const isInside = change?.[0]?.type === "markdown_text" && index < sent.length - 1;
		if (change === undefined || isInside) return undefined;
		chunks.push(...change);
	}
	return chunks;
}

function callChange(
	sent: GrowingPart | undefined,
	{ id, title, state }: Extract<GrowingPart, { type: "call" }>,
): Change {
	if (sent !== undefined && (sent.type !== "call" || sent.id !== id)) return undefined;
	if (sent?.title === title && sent.state === state) return [];
	return [{ type: "task_update", id, title, status: states[state] }];
}

function textChange(sent: GrowingPart | undefined, next: GrowingPart): Change {
	const [text, before] = [markdownOf(next), sent === undefined ? "" : markdownOf(sent)];
	if (text === undefined || before === undefined || !text.startsWith(before)) return undefined;
	const added = text.slice(before.length);
	return added === "" ? [] : [{ type: "markdown_text", text: added }];
}

/** Markdown of a text; undefined if it needs other blocks, for example a table. */
function markdownOf(part: GrowingPart): string | undefined {
	if (part.type !== "text") return undefined;
	const { blocks } = bodyBlocks(part.body);
	const [block] = blocks;
	return blocks.length === 1 && block?.type === "markdown" ? block.text : undefined;
}
