import { Readable, type Writable } from "node:stream";
import { expect, test } from "vitest";
import * as ws from "ws";
import { frameText } from "./frame-writer.ts";

// The cast is safe: `ws` exports this class (lib/receiver.js), but its types omit it.
const { Receiver } = ws as unknown as { Receiver: new (options: { isServer: boolean }) => Writable };

async function receive(bytes: Buffer): Promise<string[]> {
	const messages: string[] = [];
	const receiver = new Receiver({ isServer: false });
	receiver.on("message", (data: Buffer, isBinary: boolean) => messages.push(`${isBinary}:${data}`));
	await new Promise<void>((resolve, reject) => {
		receiver.on("error", reject);
		Readable.from([bytes]).pipe(receiver).on("finish", resolve);
	});
	return messages;
}

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 1_000_000])(
	"a text of %i bytes arrives complete",
	async (length) => {
		const text = "x".repeat(length);
		expect(await receive(frameText(text))).toEqual([`false:${text}`]);
	},
);

test("the length of a frame is the length of its UTF-8", async () => {
	const text = "é🌍".repeat(21);
	const frame = frameText(text);
	expect([...frame.subarray(0, 4)]).toEqual([0x81, 126, 0, 126]);
	expect(frame).toHaveLength(4 + 126);
	expect(await receive(frame)).toEqual([`false:${text}`]);
});

test("consecutive frames remain separate", async () => {
	const bytes = Buffer.concat([frameText("one"), frameText(""), frameText("three")]);
	expect(await receive(bytes)).toEqual(["false:one", "false:", "false:three"]);
});
