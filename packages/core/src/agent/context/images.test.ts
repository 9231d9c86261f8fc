import { expect, test } from "vitest";
import type { Message, ResultBlock } from "../../vocabulary/message.ts";
import { difference, featureNames, featuresOfMessages } from "./calibration.ts";
import { recordOf } from "./record.ts";
import { structuralFault } from "./testing/check-request.ts";
import { ToySession } from "./testing/toy-session.ts";
import { chance, prose } from "./testing/toy-text.ts";
import { noReductions, type Reductions, viewOf } from "./view.ts";

const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
const cleared = "[its image was cleared to save space: read it again if you need it]";

const readTranscript = (text: string, images?: ResultBlock["pictures"]): Message[] => [
	{ role: "user", content: [{ type: "text", text: "look" }] },
	{
		role: "assistant",
		content: [{ type: "call", id: "c", name: "read_file", arguments: { path: "a.png" } }],
	},
	{
		role: "tool",
		content: [{ type: "result", callId: "c", text, failed: false, ...(images && { pictures: images }) }],
	},
];

function left(text: string, reductions: Partial<Reductions>): readonly [string, number] | undefined {
	const transcript = [{ ordinal: 1, messages: readTranscript(text, [image]) }];
	const last = viewOf(transcript, { ...noReductions, ...reductions }).at(-1);
	const [result] = last?.role === "tool" ? last.content : [];
	return result && [result.text, result.pictures?.length ?? 0];
}

test("an image of a result adds the tokens of one image to the tokens of its text", () => {
	const [plain, seen] = [readTranscript("a.png"), readTranscript("a.png", [image])].map(featuresOfMessages);
	if (!plain || !seen) throw new Error("both are counted");
	expect(difference(seen, plain)).toEqual(featureNames.map((name) => (name === "images" ? 1 : 0)));
});

test("a cleared result loses its image, even if its text is short, and the text reports the loss", () => {
	const before = { run: 2, message: 0 };
	expect(left("a.png", { results: before })).toEqual([`a.png\n${cleared}`, 0]);
	const [text, images] = left("x".repeat(500), { results: before }) ?? [];
	expect(text).toMatch(
		/^\[cleared to save space: 500 characters from read_file .*\]\n\[its image was cleared/,
	);
	expect(images).toBe(0);
	expect(left("a.png", { results: { run: 1, message: 2 } })).toEqual(["a.png", 1]);
});

test("if the newest results are shortened an image is preserved like a text of its size", () => {
	const shortened = (characters: number) => ({ shortened: [{ before: { run: 2, message: 0 }, characters }] });
	expect(left("a.png", shortened(8_000))).toEqual(["a.png", 1]);
	expect(left("a.png", shortened(4_000))).toEqual([`a.png\n${cleared}`, 0]);
});

test("a summary is made from the text and a note about the image", () => {
	const record = recordOf(readTranscript("a.png, 1 x 1 pixels", [image]), 1_000, (text) => text.length);
	expect(record).toContain("RESULT OF read_file: a.png, 1 x 1 pixels (an image)");
});

test("in a long session old images are cleared, and the newest stay", async () => {
	const random = chance(7);
	await using toy = await ToySession.open({ contextWindow: 12_000, maxOutput: 1_000 });
	for (let n = 0; n < 20; n++) {
		await toy.ask(`Look at ${n}.`);
		const call = { id: `c${n}`, name: "read_file", arguments: { path: `${n}.png` } };
		toy.calls({ ...call, text: `${n}.png`, failed: false, pictures: [image] });
		const { request, tokens } = await toy.call();
		expect(structuralFault(request)).toBeUndefined();
		expect(tokens).toBeLessThanOrEqual(11_000);
		const last = request.messages.at(-1);
		expect(last?.role === "tool" && last.content[0]?.pictures).toEqual([image]);
		toy.says(prose(random, 50));
	}
	expect((await toy.compactions()).map(({ level }) => level)).toContain("tool_results");
});
