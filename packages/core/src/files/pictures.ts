import type { Attachment, FileFacts } from "../vocabulary/kept-file.ts";
import { type ImageBlock, type ImageType, isImageType, type Message } from "../vocabulary/message.ts";
import type { RunMessage } from "../vocabulary/transcript.ts";
import type { Files } from "./files.ts";

/** Maximum bytes of a picture: 5 MiB in base64. https://platform.claude.com/docs/en/build-with-claude/vision */
export const maxPictureBytes = 3_932_160;
/** Maximum width and height in pixels. The provider rejects larger pictures. Source: the same page. */
export const maxPictureSide = 8_000;
/** Maximum bytes of all pictures in a request. A request may have 32 MB, and base64 adds a third. The rest is for text. */
const maxPicturesBytes = 18 * 1024 * 1024;

/**
 * Whether the file can be shown to a model. `before` is the number of bytes of pictures that are already in the
 * conversation.
 */
export function isPicture({ mediaType, bytes }: FileFacts, before: number): boolean {
	return isImageType(mediaType) && bytes <= maxPictureBytes && before + bytes <= maxPicturesBytes;
}

/** Picture in a stored file. Undefined if models do not read its type, or if the file is deleted. */
export async function loadPicture(
	files: Files,
	{ id, mediaType }: FileFacts,
): Promise<ImageBlock | undefined> {
	if (!isImageType(mediaType)) return undefined;
	const content = await files.load(id);
	return content && { type: "image", mediaType, data: content.toString("base64") };
}

/** Attachments for pictures of a message that the model does not see. Each has the reason. */
export function describedOnly(images: readonly ImageBlock[], problem: string): Attachment[] {
	return images.map((image) => ({
		id: "",
		name: "a picture",
		mediaType: image.mediaType,
		bytes: bytesOf(image),
		problem,
	}));
}

export function pictureBytes(messages: readonly Message[]): number {
	return messages
		.flatMap(({ content }) => content.flatMap(picturesOf))
		.reduce((sum, picture) => sum + bytesOf(picture), 0);
}

/** Bytes of a picture before base64. */
export function bytesOf({ data }: ImageBlock): number {
	return Buffer.byteLength(data, "base64");
}

function picturesOf(block: Message["content"][number]): readonly ImageBlock[] {
	if (block.type === "image") return [block];
	return block.type === "result" ? (block.pictures ?? []) : [];
}

/** Adds the pictures that the model sees. The attachment of a deleted file reports it. */
export async function withPictures<T extends RunMessage>(files: Files, message: T): Promise<T> {
	const { attachments = [], retryOf } = message;
	// A repeated message stays with its first run, and so do its pictures.
	if (retryOf !== undefined || !attachments.some(({ shown }) => shown)) return message;
	const loaded = await Promise.all(attachments.map((attachment) => load(files, attachment)));
	return {
		...message,
		attachments: loaded.map(({ attachment }) => attachment),
		pictures: loaded.flatMap(({ picture }) => (picture ? [picture] : [])),
	};
}

async function load(
	files: Files,
	attachment: Attachment,
): Promise<{ readonly attachment: Attachment; readonly picture?: ImageBlock }> {
	if (!attachment.shown || !isImageType(attachment.mediaType)) return { attachment };
	const picture = await loadPicture(files, attachment);
	if (!picture) return { attachment: { ...attachment, problem: "it is no longer stored" } };
	return { attachment, picture };
}

interface PictureRoom {
	readonly bytes: number;
	/** Maximum number of pictures if one of them is large. */
	readonly few: number;
}

/** Width or height in pixels above which a picture is large. A request may contain few large pictures. */
const largeSide = 2_000;

/** Limits of a provider for one request: https://platform.claude.com/docs/en/build-with-claude/vision */
const pictureRoom: PictureRoom = { bytes: maxPicturesBytes, few: 20 };

/** Reason for the model why a picture is not shown. */
export const noRoom =
	`the pictures of this conversation may have at most ${pictureRoom.bytes / 1024 / 1024} MiB together, ` +
	`and be at most ${pictureRoom.few} if one is larger than ${largeSide} pixels a side`;

export function fitTogether(
	pictures: readonly ImageBlock[],
	{ bytes, few }: PictureRoom = pictureRoom,
): boolean {
	return sizeOf(pictures) <= bytes && (pictures.length <= few || !pictures.some(isLarge));
}

/** Whether the pictures exceed the bytes of one request. */
export function fillMoreThanRoom(pictures: readonly ImageBlock[]): boolean {
	return sizeOf(pictures) > pictureRoom.bytes;
}

/** Half of the exceeded limit, and all of the other one. */
export function halfTheRoom(pictures: readonly ImageBlock[]): PictureRoom {
	const { bytes, few } = pictureRoom;
	return {
		bytes: sizeOf(pictures) > bytes ? bytes / 2 : bytes,
		few: fitTogether(pictures, { bytes: Number.POSITIVE_INFINITY, few }) ? few : few / 2,
	};
}

function sizeOf(pictures: readonly ImageBlock[]): number {
	return pictures.reduce((sum, picture) => sum + bytesOf(picture), 0);
}

/** Results of `isLarge`, so that each picture is decoded once. */
const large = new WeakMap<ImageBlock, boolean>();

function isLarge(picture: ImageBlock): boolean {
	const known = large.get(picture);
	if (known !== undefined) return known;
	const size = pictureSize(picture.mediaType, Buffer.from(picture.data, "base64"));
	const found = size !== undefined && Math.max(size.width, size.height) > largeSide;
	large.set(picture, found);
	return found;
}

/** In pixels. */
interface PictureSize {
	readonly width: number;
	readonly height: number;
}

/** Size of a picture from its header. Undefined if the header is damaged. */
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

/** The frame header follows any number of segments: https://www.w3.org/Graphics/JPEG/itu-t81.pdf B.1 */
function sizeOfJpeg(content: Uint8Array): PictureSize | undefined {
	for (let at = 2; at < content.length; ) {
		if (content[at] !== 0xff) return undefined;
		const marker = content[at + 1] ?? 0;
		if (isFrame(marker)) return { width: big(content, at + 7, 2), height: big(content, at + 5, 2) };
		// More bytes 0xff may precede a marker. Some markers are a complete segment.
		if (marker === 0xff) at += 1;
		else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
		else at += 2 + Math.max(2, big(content, at + 2, 2));
	}
	return undefined;
}

/** SOF0 to SOF15, without the three markers in this range that have another meaning. */
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

/** Big-endian number. Bytes beyond the end are zero, and no picture has the size 0. */
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
