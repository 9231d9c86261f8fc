import { expect, test } from "vitest";
import { type Editor, emptyEditor, enterLine, insert, isEnter, type Key, pressKey } from "./editor.ts";

function key(name: string, modifiers: { readonly ctrl?: boolean; readonly meta?: boolean } = {}): Key {
	return { text: "", name, ctrl: false, meta: false, ...modifiers };
}

function type(text: string, editor = emptyEditor()): Editor {
	return [...text].reduce(
		(typed, character) => pressKey(typed, { ...key(character), text: character }),
		editor,
	);
}

function press(editor: Editor, ...keys: readonly Key[]): Editor {
	return keys.reduce(pressKey, editor);
}

function shown({ text, cursor }: Editor): string {
	return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const left = key("left");

test.each<[string, readonly Key[], string]>([
	["typing goes where the cursor is", [left, left, { ...key("x"), text: "x" }], "one tx|wo"],
	["backspace", [key("backspace")], "one tw|"],
	["delete", [left, key("delete")], "one tw|"],
	["home and end", [key("home"), key("right"), key("end")], "one two|"],
	["Ctrl-A and Ctrl-K empty the line", [key("a", { ctrl: true }), key("k", { ctrl: true })], "|"],
	["Ctrl-U removes what is before the cursor", [left, key("u", { ctrl: true })], "|o"],
	["Ctrl-W removes a word", [key("w", { ctrl: true })], "one |"],
	["Ctrl-left goes a word back", [key("left", { ctrl: true })], "one |two"],
	["Alt-F goes a word on", [key("home"), key("f", { meta: true })], "one| two"],
	["Ctrl-D removes what is under the cursor", [left, key("d", { ctrl: true })], "one tw|"],
	["keys without a meaning do nothing", [key("f5"), { ...key("escape"), text: "\u001b" }], "one two|"],
	["the edges hold", [key("home"), left, key("backspace")], "|one two"],
])("%s", (_, keys, expected) => {
	expect(shown(press(type("one two"), ...keys))).toBe(expected);
});

test("never stops the cursor inside a character", () => {
	const editor = type("a👩‍💻é");
	expect(shown(press(editor, left))).toBe("a👩‍💻|é");
	expect(shown(press(editor, left, left))).toBe("a|👩‍💻é");
	expect(shown(press(editor, left, key("backspace")))).toBe("a|é");
});

test("moves through earlier entries and back to the typed text with the arrow keys", () => {
	const history = enterLine(enterLine(emptyEditor(), "first"), "second");
	const typing = type("dra", history);
	expect(press(typing, key("up")).text).toBe("second");
	expect(press(typing, key("up"), key("up"), key("up")).text).toBe("first");
	expect(press(typing, key("up"), key("up"), key("down"), key("down"), key("down")).text).toBe("dra");
});

test("moves between the lines of a text with the arrow keys before it shows other entries", () => {
	const editor = type("thr", press(type("one two"), key("enter")));
	expect(shown(press(editor, key("up")))).toBe("one| two\nthr");
	expect(shown(press(editor, key("up"), key("end"), key("down")))).toBe("one two\nthr|");
	const history = enterLine(emptyEditor(), "old");
	expect(press(type("new", history), key("up")).text).toBe("old");
});

test("adds no blank or repeated line to the history", () => {
	const lines = ["one", "one", "  ", "two"];
	expect(lines.reduce(enterLine, emptyEditor()).history).toEqual(["one", "two"]);
});

test("keeps the lines of a pasted text, and ignores its keys", () => {
	const carriageReturn = { ...key("return"), text: "\r" };
	const start = press(type("<>"), left, key("paste-start"));
	expect(isEnter(start, carriageReturn)).toBe(false);
	const interrupt = { ...key("c", { ctrl: true }), text: "\u0003" };
	const pasting = press(type("two", press(type("one", start), carriageReturn)), interrupt, key("up"));
	expect(pasting.text).toBe("<>");
	const pasted = press(pasting, key("paste-end"));
	expect(shown(pasted)).toBe("<one\ntwo|>");
	expect(isEnter(pasted, carriageReturn)).toBe(true);
});

test("inserts a line break at Alt-Enter, Ctrl-J, and a backslash before Enter", () => {
	const altEnter = key("return", { meta: true });
	expect(isEnter(type("one"), altEnter)).toBe(false);
	expect(press(type("one"), altEnter).text).toBe("one\n");
	expect(press(type("one"), key("enter")).text).toBe("one\n");
	const escaped = type("one\\");
	expect(isEnter(escaped, key("return"))).toBe(false);
	expect(press(escaped, key("return")).text).toBe("one\n");
});

test("moves to the ends of the current line with Home and End", () => {
	const editor = type("two", press(type("one"), key("enter")));
	expect(shown(press(editor, key("home")))).toBe("one\n|two");
	expect(shown(press(editor, key("home"), left, key("home")))).toBe("|one\ntwo");
});

test("Ctrl-W after a long text needs no long time", () => {
	for (const [text, rest] of [
		[`${" ".repeat(256 * 1024)}x`, 256 * 1024],
		[`${"x".repeat(256 * 1024)} y`, 256 * 1024 + 1],
	] as const) {
		const before = insert(emptyEditor(), text);
		expect(pressKey(before, { text: "", name: "w", ctrl: true, meta: false }).text).toHaveLength(rest);
	}
});
