import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { ModelError } from "../../vocabulary/model-error.ts";
import { silentListener } from "./live-reply.ts";
import { ReplyAccumulator } from "./reply-accumulator.ts";

function accumulating() {
	const texts: string[] = [];
	const accumulator = new ReplyAccumulator({
		redaction: new Redactor().into("reply").stream(),
		listener: { ...silentListener, writeText: (text) => void texts.push(text) },
		normalise: (call) => ({ ...call, adjusted: [] }),
	});
	const say = (...pieces: readonly string[]): void => {
		for (const text of pieces) accumulator.add({ type: "text", text });
	};
	return { accumulator, say, texts };
}

test.for<[what: string, pieces: readonly string[], expected: readonly string[]]>([
	["cut in two", ["a\ud83d", "\ude00b"], ["a", "😀b"]],
	["alone in a piece", ["\ud83d", "\ude00"], ["😀"]],
	["that never ends", ["a\ud83d", "b"], ["a", "\ufffdb"]],
	["at the very end", ["a\ud83d"], ["a", "\ufffd"]],
	["without a beginning", ["a\ude00b"], ["a\ufffdb"]],
	["whole", ["😀", "ü"], ["😀", "ü"]],
])("no event has half a character: one %s", ([, pieces, expected]) => {
	const progress = accumulating();
	progress.say(...pieces);
	const { content } = progress.accumulator.reply(undefined);
	expect(progress.texts).toEqual(expected);
	expect(content).toEqual([{ type: "text", text: expected.join("") }]);
});

test("a reply beyond the maximum length is ended, and its received part stays", () => {
	const { accumulator, say } = accumulating();
	const piece = "x".repeat(1024 * 1024);
	say(piece, piece);
	expect(() => say("y")).toThrow(ModelError);
	expect(() => say("y")).toThrow("longer than the maximum of 2097152 characters");
	const [block] = accumulator.reply(undefined).content;
	expect(block?.type === "text" && block.text.length).toBe(2 * 1024 * 1024);
});

test("thinking beyond the maximum length, and more than 1,000 calls, end the reply", () => {
	const { accumulator } = accumulating();
	const text = "x".repeat(4 * 1024 * 1024);
	accumulator.add({ type: "thinking", text });
	accumulator.add({ type: "thinking", text: "", redacted: text });
	expect(() => accumulator.add({ type: "thinking", text: "", signature: "s" })).toThrow(
		"the thinking is longer than the maximum of 8388608 characters",
	);
	const { accumulator: other } = accumulating();
	const call = (index: number) =>
		other.add({ type: "call", index, id: `c${index}`, name: "look", arguments: {}, invalid: "not run" });
	for (let index = 0; index < 1_000; index++) call(index);
	expect(() => call(1_000)).toThrow("the reply has more than the maximum of 1000 tool calls");
});
