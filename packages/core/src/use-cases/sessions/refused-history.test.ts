import { expect, test } from "vitest";
import { testImages } from "../../testing/images.ts";
import { type HistoryMessage, historyLimits, planImport } from "./import-history.ts";

const [png] = testImages;
const image = { type: "image", mediaType: png.mediaType, data: png.content.toString("base64") } as const;
const text = (words: string) => ({ type: "text", text: words }) as const;
const call = (id: string, args: unknown = {}) =>
	({ type: "call", id, name: "their_tool", arguments: args }) as const;
const result = (callId: string, words: string) =>
	({ type: "result", callId, text: words, failed: false }) as const;

const asks: HistoryMessage = { role: "user", content: [text("hi")] };
const makesCall: HistoryMessage = { role: "assistant", content: [call("c1")] };
const longText = "x".repeat(historyLimits.textBytes);
const notImage = { ...image, data: Buffer.from("hello").toString("base64") };
const wide = Buffer.from(png.content);
wide.writeUInt32BE(9_000, 16);

const nested = Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1);

test.each<[string, readonly HistoryMessage[], RegExp]>([
	[
		"too many messages",
		Array.from({ length: 501 }, () => asks),
		/^history: it has 501 messages, more than the maximum of 500/,
	],
	[
		"too many blocks",
		[{ role: "user", content: Array.from({ length: 5_001 }, () => text("x")) }],
		/^history: it has 5001 blocks, more than the maximum of 5000/,
	],
	[
		"a text that is too long",
		[{ role: "user", content: [text(`${longText}x`)] }],
		/message 1: a text has 1048577 bytes/,
	],
	[
		"too much text",
		Array.from({ length: 9 }, () => ({ role: "user", content: [text(longText)] })),
		/message 9: all texts together have more than 8388608 bytes/,
	],
	[
		"a message without content",
		[asks, { role: "assistant", content: [] }],
		/message 2: the content is empty: add a block, or leave the message out/,
	],
	["a call without a result", [asks, makesCall, asks], /message 3: the call "c1" has no result/],
	["a call without a result at the end", [asks, makesCall], /message 2: the call "c1" has no result/],
	[
		"a result without a call",
		[{ role: "tool", content: [result("c9", "x")] }],
		/message 1: a result for the call "c9" is not allowed/,
	],
	[
		"two results of one call",
		[asks, makesCall, { role: "tool", content: [result("c1", "x"), result("c1", "y")] }],
		/message 3: a result for the call "c1" is not allowed/,
	],
	[
		"two calls of one id",
		[asks, makesCall, { role: "tool", content: [result("c1", "x")] }, makesCall],
		/message 4: an earlier call already has the id "c1"/,
	],
	[
		"a call of the user",
		[{ role: "user", content: [call("c1")] }],
		/role user cannot contain a block of type "call"/,
	],
	[
		"a text of a tool",
		[{ role: "tool", content: [text("x")] }],
		/role tool cannot contain a block of type "text"/,
	],
	[
		"an image of the assistant",
		[{ role: "assistant", content: [image] }],
		/role assistant cannot contain a block of type "image"/,
	],
	["a call without an id", [{ role: "assistant", content: [call("")] }], /the id of a call has 0 characters/],
	[
		"arguments that are too deep",
		[{ role: "assistant", content: [call("c1", nested)] }],
		/the arguments of the call "c1": .*more than 64 levels/,
	],
	[
		"an image of an unknown type",
		[{ role: "user", content: [{ ...image, mediaType: "image/svg+xml" }] }],
		/images of type "image\/svg\+xml" are not supported: use image\/png/,
	],
	[
		"an image with other content",
		[{ role: "user", content: [notImage] }],
		/an image of type image\/png is not a PNG/,
	],
	[
		"an image that is not base64",
		[{ role: "user", content: [{ ...image, data: `${image.data}!` }] }],
		/the data of an image is not base64/,
	],
	[
		"an image that is too wide",
		[{ role: "user", content: [{ ...image, data: wide.toString("base64") }] }],
		/an image has 9000 x 1 pixels, more than the maximum of 8000/,
	],
])("a history with %s is refused", (_, imported, problem) => {
	expect(() => planImport(imported)).toThrow(problem);
});
