import { definedItems } from "@parley/base";
import type { PromptRequestPayload } from "@parley/protocol";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { argumentsText, isLabelOf } from "./arguments-text.ts";
import { bullets, fenced, inlineCode, plain, quoted } from "./markdown.ts";

/** Complete text of a question in Markdown, of any length. */
export function wholeQuestion({ label, options, context }: PromptRequestPayload): string {
	const { tool, preview = "", notes = [], risk } = context;
	if (tool === undefined) {
		const said = options.map(({ label: name, description, disabled }) =>
			definedItems([
				plain(name),
				description === "" ? undefined : plain(description),
				disabled ? questionTexts.options.disabled : undefined,
			]).join(" · "),
		);
		return definedItems([quoted(label), said.length === 0 ? undefined : bullets(said)]).join("\n\n");
	}
	const { text } = argumentsText(context.arguments, { told: isLabelOf(label, context.arguments) });
	return definedItems([
		`**${inlineCode(tool)}**`,
		plain(label),
		text === "" ? undefined : fenced(text),
		preview === "" ? undefined : fenced(preview, "diff"),
		notes.length === 0 ? undefined : bullets(notes.map(plain)),
		risk === undefined ? undefined : approvalTexts.card.risk({ risk }),
	]).join("\n\n");
}
