import { expect, test } from "vitest";
import { testImages } from "../testing/images.ts";
import type { ImageBlock } from "../vocabulary/message.ts";
import { fitTogether, halfOfRoom } from "./images.ts";

const [{ content: png }] = testImages;
const mebibyte = 1024 * 1024;

function image({
	bytes = png.length,
	side = 1,
}: {
	readonly bytes?: number;
	readonly side?: number;
}): ImageBlock {
	const content = Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
	content.writeUInt32BE(side, 20);
	return { type: "image", mediaType: "image/png", data: content.toString("base64") };
}

const many = (number: number): ImageBlock[] => Array.from({ length: number }, () => image({}));

test("images fit together up to 18 MiB", () => {
	const nine = image({ bytes: 9 * mebibyte });
	expect(fitTogether([nine, nine])).toBe(true);
	expect(fitTogether([nine, nine, image({})])).toBe(false);
});

test("more than twenty images fit together if none is larger than 2,000 pixels a side", () => {
	expect(fitTogether([...many(19), image({ side: 2_001 })])).toBe(true);
	expect(fitTogether([...many(20), image({ side: 2_000 })])).toBe(true);
	expect(fitTogether([...many(20), image({ side: 2_001 })])).toBe(false);
});

test("an image of unknown size does not count as a large one", () => {
	const damaged = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
	expect(fitTogether([...many(20), damaged])).toBe(true);
});

test("only images above the limit are removed, down to half of it", () => {
	const nine = image({ bytes: 9 * mebibyte });
	expect(halfOfRoom([nine, nine, nine])).toEqual({ bytes: 9 * mebibyte, few: 20 });
	expect(halfOfRoom([...many(20), image({ side: 3_000 })])).toEqual({ bytes: 18 * mebibyte, few: 10 });
	expect(halfOfRoom([nine, nine, ...many(20), image({ side: 3_000 })])).toEqual({
		bytes: 9 * mebibyte,
		few: 10,
	});
});
