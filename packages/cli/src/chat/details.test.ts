import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { Details } from "./details.ts";

const format = { columns: 30, styles: createStyles(false) };

test("shows thinking and calls in full, or one of them by its position from the end", () => {
	const details = new Details();
	details.addThinking("hm\u001b[2J");
	details.addCall({ status: "completed", name: "run", result: "1\n2", call_id: "a" }, { cmd: "seq 2" });
	const call = ["Tool call: run", "Arguments:", "{", '  "cmd": "seq 2"', "}", "", "Result:", "1", "2"];
	expect(details.rows(format)).toEqual(["Thinking", "hm\\u{1b}[2J", "", ...call]);
	expect(details.rowsOf(1, format)).toEqual(call);
	expect(details.rowsOf(3, format)).toBeUndefined();
});

test("shows a failed call without known arguments", () => {
	const details = new Details();
	details.addCall({ status: "failed", name: "run", error: "no", call_id: "a" }, undefined);
	expect(details.rows(format)).toEqual(["Tool call: run (failed)", "Error:", "no"]);
});

test("drops the oldest entries above its limits, but never the last one", () => {
	const details = new Details();
	for (let index = 0; index < 300; index++) details.addThinking(`${index}`);
	expect(details.count).toBe(200);
	details.addThinking("x".repeat(3_000_000));
	expect(details.count).toBe(1);
});

test("lays out its texts once for all keys of the pager, and again after a change", () => {
	const details = new Details();
	details.addThinking("some words of more than 20 columns");
	const rows = details.rows({ ...format });
	expect(details.rows({ ...format })).toBe(rows);
	expect(details.rows({ ...format, columns: 20 })).toHaveLength(3);
	details.addThinking("more");
	expect(details.rows(format)).toEqual([...rows, "", "Thinking", "more"]);
});
