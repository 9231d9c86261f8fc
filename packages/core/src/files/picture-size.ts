import type { ImageType } from "../vocabulary/message.ts";

/** In pixels. */
export interface PictureSize {
	readonly width: number;
	readonly height: number;
}

/** How large a picture is, by its header; undefined where it has none that makes sense: then it is damaged. */
export function pictureSize(type: ImageType, content: Uint8Array): PictureSize | undefined {
	const size = readers[type](content);
	return size && size.width > 0 && size.height > 0 ? size : undefined;
}

type Reader = (content: Uint8Array) => PictureSize | undefined;

const readers: Readonly<Record<ImageType, Reader>> = {
	"image/png": sizeOfPng,
	"image/jpeg": sizeOfJpeg,
	"image/gif": (content) => ({ width: little(content, 6, 2), height: little(content, 8, 2) }),
	"image/webp": sizeOfWebp,
};

/** https://www.w3.org/TR/png-3/#11IHDR */
function sizeOfPng(content: Uint8Array): PictureSize | undefined {
	if (word(content, 12) !== "IHDR") return undefined;
	return { width: big(content, 16, 4), height: big(content, 20, 4) };
}

/** The frame header stands behind segments of any number: https://www.w3.org/Graphics/JPEG/itu-t81.pdf B.1 */
function sizeOfJpeg(content: Uint8Array): PictureSize | undefined {
	for (let at = 2; at < content.length; ) {
		if (content[at] !== 0xff) return undefined;
		const marker = content[at + 1] ?? 0;
		if (isFrame(marker)) return { width: big(content, at + 7, 2), height: big(content, at + 5, 2) };
		// More of 0xff may stand before a marker; some markers are all of their segment.
		if (marker === 0xff) at += 1;
		else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
		else at += 2 + Math.max(2, big(content, at + 2, 2));
	}
	return undefined;
}

/** SOF0 to SOF15, without the three markers among them that mean something else. */
function isFrame(marker: number): boolean {
	return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** https://developers.google.com/speed/webp/docs/riff_container and its bit streams */
function sizeOfWebp(content: Uint8Array): PictureSize | undefined {
	const kind = word(content, 12);
	if (kind === "VP8X" && content.length >= 30) {
		return { width: 1 + little(content, 24, 3), height: 1 + little(content, 27, 3) };
	}
	if (kind === "VP8L" && content.length >= 25) {
		const bits = little(content, 21, 4);
		return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
	}
	if (kind !== "VP8 ") return undefined;
	return { width: little(content, 26, 2) & 0x3fff, height: little(content, 28, 2) & 0x3fff };
}

function word(content: Uint8Array, at: number): string {
	return String.fromCharCode(...content.subarray(at, at + 4));
}

/** What lies beyond the end counts as zero, which no picture has as its size. */
function big(content: Uint8Array, at: number, bytes: number): number {
	let value = 0;
	for (let index = 0; index < bytes; index++) value = value * 256 + (content[at + index] ?? 0);
	return value;
}

function little(content: Uint8Array, at: number, bytes: number): number {
	let value = 0;
	for (let index = bytes - 1; index >= 0; index--) value = value * 256 + (content[at + index] ?? 0);
	return value;
}
