import {
	type Editor,
	emptyEditor,
	enterLine,
	insert,
	isEnter,
	type Key,
	pastedText,
	pressKey,
} from "../terminal/editor.ts";
import { emptySearch, type HistorySearch, pressSearchKey, searchNext } from "../terminal/history-search.ts";
import { visibleLine } from "../text/visible.ts";
import { clipboardTexts } from "../texts/chat/clipboard.ts";
import { keyTexts } from "../texts/chat/keys.ts";
import { liveTexts } from "../texts/chat/live.ts";
import type { Chat } from "./chat.ts";
import { type Beginning, commonBeginning, completableIn } from "./completion.ts";

/** Processes the keys of a chat, and stores the typed text. */
export class Keyboard {
	readonly #chat: Chat;
	readonly #openDetails: () => void;
	#message = emptyEditor();
	#answer: Editor | undefined;
	#mayLeave = false;
	#keyNotice = "";
	#search: HistorySearch | undefined;
	#isReadingClipboard = false;

	/** Edits the input of `chat`. `openDetails` shows thinking and tool calls in full. */
	constructor(chat: Chat, openDetails: () => void = () => undefined) {
		this.#chat = chat;
		this.#openDetails = openDetails;
	}

	get message(): Editor {
		return this.#message;
	}

	/** Returns the search text for earlier messages, or undefined if no search is active. */
	get search(): Editor | undefined {
		return this.#search?.query;
	}

	/** Returns the answer that the person is typing, or undefined while the message receives the keys. */
	get answer(): Editor | undefined {
		return this.#answer;
	}

	/** Whether a pasted text is still incomplete. The chat then does not draw after each key. */
	get isPasting(): boolean {
		return (this.#answer ?? this.#message).pasted !== undefined;
	}

	/**
	 * Returns the notice of the search, of the last key, of the clipboard, or of the chat. Returns "" without a
	 * notice.
	 */
	get notice(): string {
		if (this.#search) return this.#searchNotice(this.#search);
		if (this.#keyNotice !== "") return this.#keyNotice;
		if (this.#mayLeave) return liveTexts.leaves;
		return this.#isReadingClipboard ? clipboardTexts.reading : this.#chat.notice;
	}

	/**
	 * Moves the keyboard focus to an open question, unless the person is typing a message or searching. The
	 * text of a message must not answer a new question.
	 */
	focus(): void {
		const open = this.#chat.conversation.question;
		if (!open || open.given) this.#answer = undefined;
		else if (this.#message.text === "" && !this.isPasting && !this.#search) this.#answer ??= emptyEditor();
	}

	/** Processes a key. Resolves when its effect is complete. Never rejects. */
	async press(key: Key): Promise<void> {
		const editor = this.#answer ?? this.#message;
		if (this.isPasting) return this.#edit(key);
		if (this.#search) return this.#pressInSearch(this.#search, key);
		if (key.ctrl && key.name === "c") return this.#interrupt();
		this.#mayLeave = false;
		this.#keyNotice = "";
		const action = key.ctrl ? this.#actionOf(key.name) : undefined;
		if (action) return action();
		const beginning = key.name === "tab" ? completableIn(editor.text.slice(0, editor.cursor)) : undefined;
		if (beginning) return this.#complete(editor, beginning);
		if (key.ctrl && key.name === "d" && editor.text === "") return this.#chat.leave();
		if (key.name === "escape") return this.#escape();
		if (isEnter(editor, key)) return this.#enterTyped(editor, key);
		this.#edit(key);
	}

	/**
	 * Sends the typed text, with two exceptions. A shell command from an unmarked paste needs another Enter. While
	 * the clipboard is read, a message is not sent, because its image would be missing.
	 */
	#enterTyped({ text }: Editor, { follows }: Key): Promise<void> | void {
		if (!this.#answer && this.#isReadingClipboard) return;
		if (!this.#answer && follows && text.startsWith("!")) this.#keyNotice = keyTexts.enterAgain;
		else return this.#enter(text);
	}

	#edit(key: Key): void {
		const { pasted } = this.#message;
		const label =
			key.name === "paste-end" && pasted !== undefined ? this.#chat.imageLabel(pasted) : undefined;
		if (label !== undefined) this.#message = { ...this.#message, pasted: label };
		if (this.#answer) this.#answer = pressKey(this.#answer, key);
		else this.#message = pressKey(this.#message, key);
	}

	#actionOf(name: string): (() => Promise<void> | void) | undefined {
		if (name === "o") return this.#openDetails;
		if (this.#answer) return undefined;
		if (name === "r") return () => this.#beginSearch();
		return name === "v" ? () => this.#pasteClipboard() : undefined;
	}

	async #pasteClipboard(): Promise<void> {
		if (this.#isReadingClipboard) return;
		this.#isReadingClipboard = true;
		this.#chat.redraw();
		const pasted = await this.#chat.readClipboard();
		this.#isReadingClipboard = false;
		this.#keyNotice = "notice" in pasted ? pasted.notice : "";
		if ("label" in pasted) this.#message = insert(this.#message, pasted.label);
		if ("text" in pasted) {
			// `imageLabel` needs the path in the form in which the message will contain it.
			const text = pastedText(pasted.text);
			this.#message = insert(this.#message, this.#chat.imageLabel(text) ?? text);
		}
		this.#chat.redraw();
	}

	/**
	 * Completes the text before the cursor. Shows the matching names if several names match and the completion adds no
	 * character.
	 */
	async #complete(before: Editor, beginning: Beginning): Promise<void> {
		await this.#chat.complete(beginning, (names) => {
			// The names no longer match if the person has changed the text in the meantime.
			if ((this.#answer ?? this.#message) !== before) return;
			if (names.length === 0) {
				this.#keyNotice = missingWords(beginning, before.text);
				return;
			}
			const completed = completedWith(before, beginning, names);
			if (this.#answer) this.#answer = completed;
			else this.#message = completed;
			if (names.length > 1 && completed.text === before.text) this.#keyNotice = namesRow(beginning, names);
		});
	}

	async #beginSearch(): Promise<void> {
		this.#search = emptySearch;
		const earlier = await this.#chat.earlierMessages();
		const { history, place } = this.#message;
		const added = earlier.filter((entry) => !history.includes(entry));
		this.#message = { ...this.#message, history: [...added, ...history], place: place + added.length };
		// The person may have typed further characters while the messages were read.
		if (this.#search) this.#search = searchNext(this.#search, this.#message.history);
		this.#chat.redraw();
	}

	#pressInSearch(search: HistorySearch, key: Key): void {
		const step = pressSearchKey(search, key, this.#message.history);
		this.#search = step.kind === "search" ? step.search : undefined;
		if (step.kind !== "found") return;
		const { entry } = step;
		this.#message = { ...this.#message, text: entry, cursor: entry.length };
	}

	#searchNotice({ query, place }: HistorySearch): string {
		const entry = this.#message.history[place];
		if (entry !== undefined) return visibleLine(entry);
		return query.text === "" ? keyTexts.searchKeys : keyTexts.noEntry;
	}

	async #enter(line: string): Promise<void> {
		const isAnswer = this.#answer !== undefined;
		if (isAnswer) this.#answer = emptyEditor();
		else this.#message = enterLine(this.#message, line);
		await this.#chat.enter(line, isAnswer);
	}

	/** Cancels running work, otherwise clears the line. On an empty line, leaves at the second press. */
	async #interrupt(): Promise<void> {
		if (this.#chat.canCancel) return this.#chat.cancel();
		if (this.#mayLeave) return this.#chat.leave();
		this.#mayLeave = this.#message.text === "";
		this.#message = emptyEditor(this.#message.history);
	}

	async #escape(): Promise<void> {
		const type = this.#chat.conversation.question?.question.type;
		if (this.#answer && type !== undefined && type !== "confirm") await this.#chat.decline();
	}
}

/** Completes the name at the cursor. A space follows a single name that is not a directory. */
function completedWith(before: Editor, { start }: Beginning, names: readonly string[]): Editor {
	const [only = ""] = names;
	const isEnd = names.length === 1 && !only.endsWith("/");
	const name = `${commonBeginning(names)}${isEnd ? " " : ""}`;
	const text = before.text.slice(0, start) + name + before.text.slice(before.cursor);
	return { ...before, text, cursor: start + name.length };
}

function missingWords({ kind, text }: Beginning, line: string): string {
	if (kind === "command") return keyTexts.noCommand({ beginning: visibleLine(line) });
	const beginning = visibleLine(text);
	return kind === "model" ? keyTexts.noModel({ beginning }) : keyTexts.noFile({ beginning });
}

function namesRow({ kind }: Beginning, names: readonly string[]): string {
	return visibleLine(names.map((name) => (kind === "command" ? `/${name}` : name)).join("  "));
}
