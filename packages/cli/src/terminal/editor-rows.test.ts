import { expect, test } from "vitest";
import { type Editor, type EditorFormat, editorRows, emptyEditor } from "./editor.ts";

const format: EditorFormat = { prompt: "> ", columns: 10, maxRows: 5, masked: false };

function editing(text: string, cursor = text.length): Editor {
	return { ...emptyEditor(), text, cursor };
}

test.each<[string, Editor, readonly string[], { row: number; column: number }]>([
	["nothing typed", editing(""), ["> "], { row: 0, column: 2 }],
	["a short line", editing("abc", 1), ["> abc"], { row: 0, column: 3 }],
	["a line as wide as possible", editing("1234567"), ["> 1234567"], { row: 0, column: 9 }],
	["a longer line", editing("12345678"), ["> 1234567", "  8"], { row: 1, column: 3 }],
	["two lines", editing("ab\ncd", 2), ["> ab", "  cd"], { row: 0, column: 4 }],
	["an empty last line", editing("ab\n"), ["> ab", "  "], { row: 1, column: 2 }],
	["wide characters", editing("日本語テ"), ["> 日本語", "  テ"], { row: 1, column: 4 }],
	["a control character", editing("\u001b"), ["> \\u{1b}"], { row: 0, column: 8 }],
	["a tab", editing("\ta"), [">     a"], { row: 0, column: 7 }],
])("%s", (_, editor, rows, cursor) => {
	expect(editorRows(editor, format)).toEqual({ rows, cursor });
});

test("shows only a star for each character of a masked text", () => {
	const { rows } = editorRows(editing("p\n👩‍💻s"), { ...format, masked: true });
	expect(rows).toEqual(["> ****"]);
});

test("shows the rows around the cursor of a long text", () => {
	const text = "1\n2\n3\n4\n5";
	const last = editorRows(editing(text), { ...format, maxRows: 2 });
	expect(last).toEqual({ rows: ["  4", "  5"], cursor: { row: 1, column: 3 } });
	const first = editorRows(editing(text, 0), { ...format, maxRows: 2 });
	expect(first).toEqual({ rows: ["> 1", "  2"], cursor: { row: 0, column: 2 } });
});
