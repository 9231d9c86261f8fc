import { expect, test } from "vitest";
import type { Frame } from "./editor.ts";
import { drawChange, drawRows, eraseFrame, reflowFrame } from "./live-region.ts";

const frame: Frame = { rows: ["working", "> ab"], cursor: { row: 1, column: 4 } };

const begin = "\u001b[?2026h";
const end = "\u001b[?2026l";

function plain(text: string): string {
	return text.replace(begin, "").replace(end, "");
}

test("draws the first frame with the cursor", () => {
	expect(plain(drawChange(undefined, [], { ...frame, cursor: { row: 0, column: 3 } }))).toBe(
		"working\r\n> ab\u001b[1A\r\u001b[3C",
	);
});

test("erases the old frame, prints the rows and draws the new frame below", () => {
	expect(plain(drawChange(frame, ["done"], { rows: ["> "], cursor: { row: 0, column: 2 } }))).toBe(
		"\u001b[1A\r\u001b[Jdone\r\n> \r\u001b[2C",
	);
});

test("wraps a change in the sequences of synchronised output", () => {
	const change = drawChange(frame, [], frame);
	expect(change.startsWith(begin)).toBe(true);
	expect(change.endsWith(end)).toBe(true);
});

test("draws only the rows that differ, and moves the cursor", () => {
	const next: Frame = { rows: ["working", "> abc"], cursor: { row: 1, column: 5 } };
	expect(plain(drawRows(frame, next))).toBe("\r\u001b[2K> abc\r\u001b[5C");
	const other: Frame = { rows: ["waiting", "> ab"], cursor: { row: 1, column: 4 } };
	expect(plain(drawRows(frame, other))).toBe("\u001b[1A\r\u001b[2Kwaiting\u001b[1B\r\u001b[4C");
});

test("erases nothing without a frame", () => {
	expect(eraseFrame(undefined)).toBe("");
});

test("erases also rows that the terminal has wrapped", () => {
	const wide: Frame = { rows: ["x".repeat(70), "", "> ab"], cursor: { row: 2, column: 4 } };
	expect(reflowFrame(wide, 30).cursor.row).toBe(4);
	expect(reflowFrame(wide, 80).cursor.row).toBe(2);
});
