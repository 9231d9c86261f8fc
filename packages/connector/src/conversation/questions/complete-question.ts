import { type Clock, definedItems } from "@parley/base";
import type { PromptContext, PromptRequestPayload } from "@parley/protocol";
import type { TimeWords } from "../../platform/chat-platform.ts";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
import { argumentsText, isLabelOf } from "./arguments-text.ts";
import { bullets, fenced, inlineCode, plainMarkdown, quoted } from "./markdown.ts";
import { platformOf } from "./question.ts";

/**
 * Returns the complete text of a question in Markdown. For a tool call, the text includes the expiry, and a sentence
 * about other channels in which people can answer.
 */
export function completeQuestion(
	{ label, options, context }: PromptRequestPayload,
	{ platform, clock }: { readonly platform: TimeWords; readonly clock: Clock },
): string {
	const { tool, preview = "", notes = [], risk } = context;
	if (tool === undefined) {
		const items = options.map(({ label: name, description, disabled }) =>
			definedItems([
				plainMarkdown(name),
				description === "" ? undefined : plainMarkdown(description),
				disabled ? questionTexts.options.disabled : undefined,
			]).join(" · "),
		);
		return definedItems([quoted(label), items.length === 0 ? undefined : bullets(items)]).join("\n\n");
	}
	const { text } = argumentsText(context.arguments, {
		isLabelRedundant: isLabelOf(label, context.arguments),
	});
	return definedItems([
		`**${inlineCode(tool)}**`,
		plainMarkdown(label),
		text === "" ? undefined : fenced(text),
		preview === "" ? undefined : fenced(preview, "diff"),
		notes.length === 0 ? undefined : bullets(notes.map(plainMarkdown)),
		risk === undefined ? undefined : approvalTexts.card.risk({ risk }),
		expiryOf(context, { platform, now: clock.now() }),
		context.also_in === undefined ? undefined : elsewhere(context.also_in, { onlyDeny: risk === "critical" }),
	]).join("\n\n");
}

function expiryOf(
	{ expires_at: at = "" }: PromptContext,
	{ platform, now }: { readonly platform: TimeWords; readonly now: number },
): string | undefined {
	const time = Date.parse(at);
	return Number.isFinite(time) ? questionTexts.expires({ at: platform.moment(time, now) }) : undefined;
}

/**
 * Returns a sentence about other channels in which people can answer, with the names of their platforms. `onlyDeny`:
 * people on those platforms cannot approve the call, because only the operator can.
 */
export function elsewhere(rooms: readonly string[], { onlyDeny }: { readonly onlyDeny: boolean }): string {
	const platforms = [...new Set(rooms.map(platformOf))].join(" and ");
	return approvalTexts.card.alsoIn({ platforms, several: rooms.length > 1, onlyDeny });
}
