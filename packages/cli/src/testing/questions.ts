import type { PromptOptionPayload, PromptRequestPayload } from "@parley/protocol";

/** Returns a question with these fields and defaults for the remaining fields. */
export function askQuestion(changes: Partial<PromptRequestPayload>): PromptRequestPayload {
	const empty = { label: "?", token: "token", required: true, options: [], default: null, placeholder: "" };
	return { ...empty, type: "text", validation: "", context: {}, ...changes };
}

export function offer(
	value: string,
	changes: { readonly label?: string; readonly disabled?: boolean } = {},
): PromptOptionPayload {
	return { value, label: value, description: "", disabled: false, ...changes };
}
