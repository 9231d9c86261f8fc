import type { FileHandle } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { mediaTypeOf, sampleBytes } from "../../files/content-facts.ts";
import { pictureSize } from "../../files/picture-size.ts";
import { maxPictureBytes, maxPictureSide } from "../../files/pictures.ts";
import { readAt, readChunks } from "../../filesystem/regular-file.ts";
import { sizeOf } from "../../vocabulary/kept-file.ts";
import { type ImageType, isImageType } from "../../vocabulary/message.ts";
import type { ToolResult } from "../../vocabulary/tool.ts";

const names: Readonly<Record<ImageType, string>> = {
	"image/png": "PNG",
	"image/jpeg": "JPEG",
	"image/gif": "GIF",
	"image/webp": "WebP",
};

/**
 * The picture that a file holds, as its content tells and not its name, and a line about it. Undefined where it holds
 * none that a model can be shown. Throws `invalid_argument` with what to do where it is damaged or too large. `shown`
 * names the file.
 */
export async function readPicture(
	file: FileHandle,
	shown: string,
	signal: AbortSignal,
): Promise<ToolResult | undefined> {
	const sample = await readAt(file, shown, { position: 0, length: sampleBytes });
	const mediaType = await mediaTypeOf(sample, false);
	if (!isImageType(mediaType)) return undefined;
	const what = `${JSON.stringify(shown)} is a ${names[mediaType]} picture`;
	const content = await readBounded(file, shown, signal);
	const smaller = "which is all that can be shown: read a smaller copy of it";
	if (content.length > maxPictureBytes)
		throw invalid(`${what} of more than ${maxPictureBytes} bytes, ${smaller}`);
	const pixels = pictureSize(mediaType, content);
	if (!pixels) throw invalid(`${what} that is damaged: its header tells no width and height`);
	const { width, height } = pixels;
	if (Math.max(width, height) > maxPictureSide) {
		throw invalid(`${what} of ${width} x ${height} pixels, more than ${maxPictureSide} a side, ${smaller}`);
	}
	const text = `${what}, ${width} x ${height} pixels, ${sizeOf(content.length)}`;
	return { text, failed: false, pictures: [{ type: "image", mediaType, data: content.toString("base64") }] };
}

/** All that the file holds; of one that is too large enough to know that. */
async function readBounded(file: FileHandle, shown: string, signal: AbortSignal): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of readChunks(file, shown, signal)) {
		chunks.push(chunk);
		bytes += chunk.length;
		if (bytes > maxPictureBytes) break;
	}
	return Buffer.concat(chunks);
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
