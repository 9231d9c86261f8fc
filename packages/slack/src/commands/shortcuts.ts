import { shortcuts } from "../vocabulary/needs.ts";

/** What people choose in the menu of a message. */
export type Shortcut = (typeof shortcuts)[number]["callback_id"];

export function isShortcut(id: string): id is Shortcut {
	return shortcuts.some(({ callback_id }) => callback_id === id);
}

/** As much as the kit's `task new` takes. */
const mostTask = 4000;

/** What a person asks with it where they cannot write anything. */
const question = "Explain this message, and answer it where it asks something.";

/** The command of the kit that a shortcut stands for, or words for people where the message is nothing for it. */
export function orderedBy(
	shortcut: Shortcut,
	text: string,
):
	| { readonly command: string; readonly options: Readonly<Record<string, string>> }
	| { readonly words: string } {
	if (shortcut === "ask_about_this") return { command: "ask", options: { text: question } };
	if (text === "") return { words: "There are no words in this message to make a task of." };
	if (text.length > mostTask) {
		return {
			words: `This message is too long for a task: ${mostTask} characters at most. Write what is to be done in fewer words.`,
		};
	}
	return { command: "task new", options: { text } };
}
