import { commandTexts } from "../texts/command.ts";
import { interactionTexts } from "../texts/interaction.ts";
import { shortcuts } from "../vocabulary/needs.ts";

/** Id of an entry in a message's menu. */
export type Shortcut = (typeof shortcuts)[number]["callback_id"];

export function isShortcut(id: string): id is Shortcut {
	return shortcuts.some(({ callback_id }) => callback_id === id);
}

/** Maximum characters of the text of the kit's command `task new`. */
const maxTask = 4000;

/** Returns the kit's command for a shortcut, or an explanation if the message has no text or is too long. */
export function orderedBy(
	shortcut: Shortcut,
	text: string,
):
	| { readonly command: string; readonly options: Readonly<Record<string, string>> }
	| { readonly words: string } {
	if (shortcut === "ask_about_this")
		return { command: "ask", options: { text: commandTexts.explainMessage } };
	if (text === "") return { words: interactionTexts.messageWithoutText };
	if (text.length > maxTask) {
		return { words: interactionTexts.messageTooLong({ maximum: maxTask }) };
	}
	return { command: "task new", options: { text } };
}
