import type { TextRedactor } from "@parley/base";
import type { AssistantMessage } from "../vocabulary/message.ts";

type Block = AssistantMessage["content"][number];

/**
 * A reply for people: without secrets in what calls were given, which the model's own record keeps as it was written, and
 * in what was thought, which goes back to its provider as it came.
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
