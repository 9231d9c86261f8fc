import type { TextRedactor } from "@parley/base";
import type { AssistantMessage } from "../vocabulary/message.ts";

type Block = AssistantMessage["content"][number];

/**
 * Content of a reply for people: without secrets in arguments of calls, which the record keeps unchanged for the model, and
 * in thinking, which returns to the provider unchanged.
 */
export function shownContent(
	content: AssistantMessage["content"],
	redactor: TextRedactor,
): AssistantMessage["content"] {
	if (content.every(({ type }) => type === "text")) return content;
	return content.map((block) => shownBlock(block, redactor));
}

function shownBlock(block: Block, redactor: TextRedactor): Block {
	if (block.type === "call") return { ...block, arguments: redactor.redactFields(block.arguments) };
	return block.type === "thinking" ? { ...block, text: redactor.redact(block.text) } : block;
}
