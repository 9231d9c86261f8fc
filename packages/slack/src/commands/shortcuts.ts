import { shortcuts } from "../vocabulary/needs.ts";

/** Id of an entry in the menu of a message. */
export type Shortcut = (typeof shortcuts)[number]["callback_id"];

export function isShortcut(id: string): id is Shortcut {
	return shortcuts.some(({ callback_id }) => callback_id === id);
}

/** Limit of the kit's `task new`. */
const maxTask = 4000;

/** Question of the shortcut, which has no text field. */
const question = "Explain this message, and answer it where it asks something.";

/** Returns the kit's command for a shortcut, or words for people if the message is not suitable. */
export function orderedBy(
	shortcut: Shortcut,
	text: string,
):
	| { readonly command: string; readonly options: Readonly<Record<string, string>> }
	| { readonly words: string } {
	if (shortcut === "ask_about_this") return { command: "ask", options: { text: question } };
	if (text === "") return { words: "There are no words in this message to make a task of." };
	if (text.length > maxTask) {
		return {
			words: `This message is too long for a task: ${maxTask} characters at most. Write what is to be done in fewer words.`,
		};
	}
	return { command: "task new", options: { text } };
}
