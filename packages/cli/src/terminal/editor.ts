import { visibleLine } from "../text/visible.ts";
import { splitGraphemes, widthOf } from "../text/wrap.ts";

/** A key in the form of `node:readline`. `text` is the typed text, or "". */
export interface Key {
	readonly text: string;
	readonly name: string;
	readonly ctrl: boolean;
	readonly meta: boolean;
	/**
	 * Whether the key arrived in one chunk with an earlier key. Typed keys seldom do, but keys of an unmarked paste do.
	 */
	readonly follows?: boolean;
}

/** State of an editor: a typed text, which can contain line breaks, and its history. */
export interface Editor {
	readonly text: string;
	/** Cursor position as an index into the text. The index is never inside a user-perceived character. */
	readonly cursor: number;
	/** Earlier entries, oldest first. */
	readonly history: readonly string[];
	/** Index of the shown history entry. Equal to the length of the history if no entry is shown. */
	readonly place: number;
	/** Text that the person had typed before looking at the history. */
	readonly draft: string;
	/**
	 * Pasted text so far. Undefined outside of a paste. A terminal sends a mark before and after a paste. At the second
	 * mark, the pasted text becomes part of the text.
	 */
	readonly pasted: string | undefined;
}

const longestHistory = 500;

export function emptyEditor(history: readonly string[] = []): Editor {
	return { text: "", cursor: 0, history, place: history.length, draft: "", pasted: undefined };
}

/**
 * Returns an empty editor whose history ends with `entry`. A blank entry, or a repetition of the last entry,
 * is not added.
 */
export function enterLine(editor: Editor, entry: string): Editor {
	const { history } = editor;
	const known = entry.trim() === "" || history.at(-1) === entry;
	return emptyEditor(known ? history : [...history, entry].slice(-longestHistory));
}

/** Returns the editor after a key. An unknown key has no effect. */
export function pressKey(editor: Editor, key: Key): Editor {
	if (key.name === "paste-start") return { ...editor, pasted: "" };
	if (editor.pasted !== undefined) return paste(editor, editor.pasted, key);
	if (isLineBreak(key)) return insert(editor, "\n");
	const edit = editFor(key);
	if (edit) return edit(editor);
	return key.ctrl || key.meta || !isTyped(key.text) ? editor : insert(editor, key.text);
}

/** Returns the text of a clipboard without its control characters, except tabs and line breaks. */
export function pastedText(text: string): string {
	return text.replaceAll(/\r\n?/g, "\n").replaceAll(/[^\P{Cc}\t\n]/gu, "");
}

/**
 * Whether the key enters the line. After a backslash at the end of the text, with Alt, or in a paste, the key inserts a
 * line break instead.
 */
export function isEnter(editor: Editor, key: Key): boolean {
	if (editor.pasted !== undefined || key.name !== "return" || isLineBreak(key)) return false;
	return !endsInBackslash(editor);
}

type Edit = (editor: Editor) => Editor;

const plain: Readonly<Record<string, Edit>> = {
	return: (editor) => insert(removeBefore(editor, editor.cursor - 1), "\n"),
	left: (editor) => moveTo(editor, before(editor)),
	right: (editor) => moveTo(editor, after(editor)),
	home: (editor) => moveTo(editor, lineStart(editor)),
	end: (editor) => moveTo(editor, lineEnd(editor)),
	up: (editor) => moveLine(editor, -1) ?? recall(editor, editor.place - 1),
	down: (editor) => moveLine(editor, 1) ?? recall(editor, editor.place + 1),
	backspace: (editor) => removeBefore(editor, before(editor)),
	delete: (editor) => removeAfter(editor, after(editor)),
};

const withCtrl: Readonly<Record<string, Edit>> = {
	a: (editor) => moveTo(editor, lineStart(editor)),
	e: (editor) => moveTo(editor, lineEnd(editor)),
	b: (editor) => moveTo(editor, before(editor)),
	f: (editor) => moveTo(editor, after(editor)),
	p: (editor) => recall(editor, editor.place - 1),
	n: (editor) => recall(editor, editor.place + 1),
	h: (editor) => removeBefore(editor, before(editor)),
	d: (editor) => removeAfter(editor, after(editor)),
	k: (editor) => removeAfter(editor, lineEnd(editor)),
	u: (editor) => removeBefore(editor, lineStart(editor)),
	w: (editor) => removeBefore(editor, wordStart(editor)),
	left: (editor) => moveTo(editor, wordStart(editor)),
	right: (editor) => moveTo(editor, wordEnd(editor)),
};

const withMeta: Readonly<Record<string, Edit>> = {
	b: (editor) => moveTo(editor, wordStart(editor)),
	f: (editor) => moveTo(editor, wordEnd(editor)),
	d: (editor) => removeAfter(editor, wordEnd(editor)),
	left: (editor) => moveTo(editor, wordStart(editor)),
	right: (editor) => moveTo(editor, wordEnd(editor)),
	backspace: (editor) => removeBefore(editor, wordStart(editor)),
};

function editFor({ name, ctrl, meta }: Key): Edit | undefined {
	const edits = ctrl ? withCtrl : meta ? withMeta : plain;
	return Object.hasOwn(edits, name) ? edits[name] : undefined;
}

function paste(editor: Editor, pasted: string, { name, text }: Key): Editor {
	if (name === "paste-end") return insert({ ...editor, pasted: undefined }, pasted);
	// Terminals send the line breaks of a pasted text as carriage returns.
	const added = text === "\r" ? "\n" : text;
	return added === "\n" || isTyped(added) ? { ...editor, pasted: pasted + added } : editor;
}

/** Whether the key always inserts a line break: Ctrl-J, which readline reports as `enter`, or Alt-Enter. */
function isLineBreak({ name, meta }: Key): boolean {
	return name === "enter" || (name === "return" && meta);
}

function endsInBackslash({ text, cursor }: Editor): boolean {
	return cursor === text.length && text.endsWith("\\");
}

function isTyped(text: string): boolean {
	// A key without a function would insert a control character.
	return text !== "" && (text === "\t" || !/\p{Cc}/u.test(text));
}

export function insert(editor: Editor, text: string): Editor {
	const { cursor } = editor;
	return {
		...editor,
		text: editor.text.slice(0, cursor) + text + editor.text.slice(cursor),
		cursor: cursor + text.length,
	};
}

function moveTo(editor: Editor, cursor: number): Editor {
	return { ...editor, cursor };
}

function removeBefore(editor: Editor, from: number): Editor {
	const { text, cursor } = editor;
	return { ...editor, text: text.slice(0, from) + text.slice(cursor), cursor: from };
}

function removeAfter(editor: Editor, to: number): Editor {
	const { text, cursor } = editor;
	return { ...editor, text: text.slice(0, cursor) + text.slice(to) };
}

/**
 * Moves the cursor to the next or previous line, at the same distance from the start of the line. In a shorter line,
 * moves the cursor to the end. Returns undefined without a next or previous line.
 */
function moveLine(editor: Editor, by: -1 | 1): Editor | undefined {
	const { text } = editor;
	const start = lineStart(editor);
	const neighbour = by < 0 ? start - 1 : lineEnd(editor) + 1;
	if (neighbour < 0 || neighbour > text.length) return undefined;
	const there = { ...editor, cursor: neighbour };
	const begin = lineStart(there);
	const column = splitGraphemes(text.slice(start, editor.cursor)).length;
	const line = splitGraphemes(text.slice(begin, lineEnd(there)));
	return moveTo(editor, begin + line.slice(0, column).join("").length);
}

function recall(editor: Editor, place: number): Editor {
	const { history } = editor;
	if (place < 0 || place > history.length) return editor;
	const draft = editor.place === history.length ? editor.text : editor.draft;
	const text = history[place] ?? draft;
	return { ...editor, text, cursor: text.length, place, draft };
}

function before({ text, cursor }: Editor): number {
	return cursor - (splitGraphemes(text.slice(0, cursor)).at(-1)?.length ?? 0);
}

function after({ text, cursor }: Editor): number {
	return cursor + (splitGraphemes(text.slice(cursor)).at(0)?.length ?? 0);
}

function wordStart({ text, cursor }: Editor): number {
	const head = text.slice(0, cursor).trimEnd();
	// A greedy match from the start, because a search for the last word needs quadratic time.
	return /^.*\s/su.exec(head)?.[0].length ?? 0;
}

function wordEnd({ text, cursor }: Editor): number {
	return cursor + (/^\s*\S*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Editor): number {
	return text.slice(0, cursor).lastIndexOf("\n") + 1;
}

function lineEnd({ text, cursor }: Editor): number {
	const end = text.indexOf("\n", cursor);
	return end < 0 ? text.length : end;
}

/** Rows that are redrawn after each change, and the position of the cursor in these rows. */
export interface Frame {
	readonly rows: readonly string[];
	readonly cursor: { readonly row: number; readonly column: number };
}

export interface EditorFormat {
	/** Text that precedes the first row. The remaining rows are indented by its width. */
	readonly prompt: string;
	readonly columns: number;
	/** Maximum number of rows. For a longer text, only the part around the cursor is shown. */
	readonly maxRows: number;
	/** Whether to show a star for every character. */
	readonly masked: boolean;
}

export function editorRows(editor: Editor, format: EditorFormat): Frame {
	const { prompt, masked, maxRows } = format;
	const indent = " ".repeat(widthOf(prompt));
	// One column stays free, so that the cursor can always follow the last character in its row.
	const width = Math.max(indent.length + 2, format.columns - 1);
	const rows = [prompt];
	let column = indent.length;
	let at = 0;
	let cursor = { row: 0, column };
	const breakRow = (): void => {
		column = indent.length;
		rows.push(indent);
	};
	const markCursor = (): void => {
		if (at === editor.cursor) cursor = { row: rows.length - 1, column };
	};
	for (const grapheme of splitGraphemes(editor.text)) {
		const shown = masked ? "*" : showGrapheme(grapheme);
		if (column + widthOf(shown) > width) breakRow();
		markCursor();
		if (grapheme === "\n" && !masked) breakRow();
		rows.push(`${rows.pop()}${shown}`);
		column += widthOf(shown);
		at += grapheme.length;
	}
	markCursor();
	return cut({ rows, cursor }, maxRows);
}

function showGrapheme(grapheme: string): string {
	if (grapheme === "\n") return "";
	return grapheme === "\t" ? "    " : visibleLine(grapheme);
}

function cut({ rows, cursor }: Frame, maxRows: number): Frame {
	const first = Math.max(0, Math.min(cursor.row - maxRows + 1, rows.length - maxRows));
	return { rows: rows.slice(first, first + maxRows), cursor: { ...cursor, row: cursor.row - first } };
}
