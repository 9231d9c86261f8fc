import type { PromptRequestPayload } from "@parley/protocol";
import { argumentsText, isToldBy } from "./arguments-text.ts";
import { bullets, fenced, inlineCode, plain, quoted } from "./markdown.ts";

/** All that a question shows, however long, as Markdown. */
export function wholeQuestion({ label, options, context }: PromptRequestPayload): string {
	const { tool, preview = "", notes = [], risk } = context;
	if (tool === undefined) {
		const said = options.map(({ label: name, description, disabled }) =>
			[
				plain(name),
				...(description === "" ? [] : [plain(description)]),
				...(disabled ? ["not available"] : []),
			].join(" · "),
		);
		return [quoted(label), ...(said.length === 0 ? [] : [bullets(said)])].join("\n\n");
	}
	const { text } = argumentsText(context.arguments, { told: isToldBy(label, context.arguments) });
	return [
		`**${inlineCode(tool)}**`,
		plain(label),
		...(text === "" ? [] : [fenced(text)]),
		...(preview === "" ? [] : [fenced(preview, "diff")]),
		...(notes.length === 0 ? [] : [bullets(notes.map(plain))]),
		...(risk === undefined ? [] : [`Risk: ${risk}.`]),
	].join("\n\n");
}
