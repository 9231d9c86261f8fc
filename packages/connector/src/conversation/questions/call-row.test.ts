import { expect, test } from "vitest";
import { approval, play, token } from "../../testing/question-scene.ts";
import { callRow } from "./call-row.ts";

function rowOf(label: string) {
	const prompt = approval({ tool: "write_file", preview: "+hi" }, { label });
	const [question] = play([prompt]).slice.open;
	if (!question) throw new Error("no question is open");
	return callRow({ token, call: "call_1", number: 1, place: 1 }, question, 1);
}

test("a row is complete only if the complete label of its call is stored", () => {
	expect(rowOf("Allow write a?")).toEqual({ lines: ["**1.** `write_file` · write a · `+hi`"], cut: false });
	const { lines, cut } = rowOf(`Allow write a${" ".repeat(5000)}and b?`);
	expect(cut).toBe(true);
	expect(lines).toEqual(["**1.** `write_file` · Allow write a …"]);
});
