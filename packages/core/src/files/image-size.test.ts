import { expect, test } from "vitest";
import { testImages } from "../testing/images.ts";
import type { ImageType } from "../vocabulary/message.ts";
import { imageSize } from "./images.ts";

const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(" ", ""), "hex");
const riff = (chunk: string, body: string): Buffer =>
	Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${chunk}\0\0\0\0`, "latin1"), hex(body)]);

const sizes: readonly (readonly [
	what: string,
	type: ImageType,
	content: Buffer,
	size: string | undefined,
])[] = [
	["a PNG", "image/png", hex("89504e470d0a1a0a 0000000d 49484452 00000280 000001e0 08"), "640 x 480"],
	[
		"a PNG that begins otherwise",
		"image/png",
		hex("89504e470d0a1a0a 00000004 43674249 00000280 000001e0"),
		undefined,
	],
	["a PNG that is cut off", "image/png", hex("89504e470d0a1a0a 0000000d 49484452 00000280"), undefined],
	["a GIF", "image/gif", hex("474946383961 8002 e001 00"), "640 x 480"],
	["a GIF of no height", "image/gif", hex("474946383961 8002 0000 00"), undefined],
	["a JPEG", "image/jpeg", hex("ffd8 ffe0 0004 0000 ffc0 0011 08 01e0 0280 03"), "640 x 480"],
	[
		"a progressive JPEG",
		"image/jpeg",
		hex("ffd8 ffc4 0003 00 ffff ff01 ffc2 0011 08 01e0 0280 03"),
		"640 x 480",
	],
	[
		"a JPEG with something else between",
		"image/jpeg",
		hex("ffd8 ffe0 0004 0000 00 ffc0 0011 08 01e0 0280"),
		undefined,
	],
	["a JPEG without a frame", "image/jpeg", hex("ffd8 ffe0 0000 ffd9"), undefined],
	["a lossy WebP", "image/webp", riff("VP8 ", "300100 9d012a 8002 e001"), "640 x 480"],
	["a lossless WebP", "image/webp", riff("VP8L", "2f 7fc27700"), "640 x 480"],
	["an extended WebP", "image/webp", riff("VP8X", "00000000 7f0200 df0100"), "640 x 480"],
	["a WebP that is cut off", "image/webp", riff("VP8X", "00000000 7f02"), undefined],
	["a WebP of an unknown kind", "image/webp", riff("VP9 ", "300100 9d012a 8002 e001"), undefined],
];

test.each(sizes)("the size of %s is found in its content, or unknown", (_what, type, content, size) => {
	const found = imageSize(type, content);
	expect(found && `${found.width} x ${found.height}`).toBe(size);
});

test.each(testImages)("an image that is cut off causes no exception: $name", ({ mediaType, content }) => {
	expect(imageSize(mediaType, content)).toEqual({ width: 1, height: 1 });
	for (let length = 0; length < content.length; length++) {
		const found = imageSize(mediaType, content.subarray(0, length));
		expect(found === undefined || Number.isInteger(found.width + found.height)).toBe(true);
	}
});
