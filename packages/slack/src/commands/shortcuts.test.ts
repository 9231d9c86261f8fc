import { expect, test } from "vitest";
import { isShortcut, orderedBy } from "./shortcuts.ts";

test("the menu entries of a message are commands about it", () => {
	expect(orderedBy("ask_about_this", "")).toEqual({ command: "ask", options: { text: expect.any(String) } });
	expect(orderedBy("make_it_a_task", "Count")).toEqual({ command: "task new", options: { text: "Count" } });
	expect(["ask_about_this", "toString"].map(isShortcut)).toEqual([true, false]);
});

test("a message that is not suitable for a task is refused", () => {
	expect(orderedBy("make_it_a_task", "")).toEqual({ words: expect.stringContaining("no text") });
	expect(orderedBy("make_it_a_task", "x".repeat(4000))).toHaveProperty("command");
	expect(orderedBy("make_it_a_task", "x".repeat(4001))).toEqual({
		words: expect.stringContaining("too long"),
	});
});
