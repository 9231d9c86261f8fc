import { type ImageBlock, type ImageType, isImageType, type Message } from "../vocabulary/message.ts";
import type { Attachment, FileFacts } from "../vocabulary/stored-file.ts";
import type { RunMessage } from "../vocabulary/transcript.ts";
import type { Files } from "./files.ts";
import { storedFileErrorTexts } from "./texts.ts";

/** Maximum bytes of an image: 5 MiB in base64. https://platform.claude.com/docs/en/build-with-claude/vision */
export const maxImageBytes = 3_932_160;
/** Maximum width and height of an image in pixels: https://platform.claude.com/docs/en/build-with-claude/vision */
export const maxImageSide = 8_000;
/**
 * Maximum image bytes in a request, before base64. A request may have 32 MB, base64 adds a third, and the remaining
 * space is for text.
 */
const maxRequestImageBytes = 18 * 1024 * 1024;

/**
 * Whether a model may see the file, according to its type and size. `before`: bytes of the images that are already in
 * the conversation.
 */
export function isShowableImage({ mediaType, bytes }: FileFacts, before: number): boolean {
	return isImageType(mediaType) && bytes <= maxImageBytes && before + bytes <= maxRequestImageBytes;
}

/**
 * Loads the image in a stored file. Returns undefined if models do not read the type of the file, or if the content of
 * the file was deleted.
 */
export async function loadImage(files: Files, { id, mediaType }: FileFacts): Promise<ImageBlock | undefined> {
	if (!isImageType(mediaType)) return undefined;
	const content = await files.load(id);
	return content && { type: "image", mediaType, data: content.toString("base64") };
}

/** Returns attachments that describe images which the model does not see. Each attachment states the reason. */
export function describedOnly(images: readonly ImageBlock[], problem: string): Attachment[] {
	return images.map((image) => ({
		id: "",
		name: storedFileErrorTexts.image,
		mediaType: image.mediaType,
		bytes: bytesOf(image),
		problem,
	}));
}

export function imageBytes(messages: readonly Message[]): number {
	return messages
		.flatMap(({ content }) => content.flatMap(imagesOf))
		.reduce((sum, image) => sum + bytesOf(image), 0);
}

/** Returns the number of bytes of an image before base64. */
export function bytesOf({ data }: ImageBlock): number {
	return Buffer.byteLength(data, "base64");
}

function imagesOf(block: Message["content"][number]): readonly ImageBlock[] {
	if (block.type === "image") return [block];
	return block.type === "result" ? (block.pictures ?? []) : [];
}

/**
 * Returns the message with the images of its visible attachments (`shown`). If the file of an attachment was deleted,
 * the attachment gets a `problem`.
 */
export async function withImages<T extends RunMessage>(files: Files, message: T): Promise<T> {
	const { attachments = [], retryOf } = message;
	// The message of a retried run, with its images, belongs to the original run.
	if (retryOf !== undefined || !attachments.some(({ shown }) => shown)) return message;
	const loaded = await Promise.all(attachments.map((attachment) => load(files, attachment)));
	return {
		...message,
		attachments: loaded.map(({ attachment }) => attachment),
		loadedImages: loaded.flatMap(({ image }) => (image ? [image] : [])),
	};
}

async function load(
	files: Files,
	attachment: Attachment,
): Promise<{ readonly attachment: Attachment; readonly image?: ImageBlock }> {
	if (!attachment.shown || !isImageType(attachment.mediaType)) return { attachment };
	const image = await loadImage(files, attachment);
	if (!image) return { attachment: { ...attachment, problem: storedFileErrorTexts.notStored } };
	return { attachment, image };
}

interface ImageRoom {
	readonly bytes: number;
	/** Maximum number of images in a request that contains at least one large image. */
	readonly few: number;
}

/** Width or height in pixels. A request with a larger image may contain only a few images. */
const largeSide = 2_000;

/** Limits of a provider for one request: https://platform.claude.com/docs/en/build-with-claude/vision */
const imageRoom: ImageRoom = { bytes: maxRequestImageBytes, few: 20 };

/** Reason why an image is not shown, as text for the model. */
export const noRoom = storedFileErrorTexts.imageLimits(
	imageRoom.bytes / 1024 / 1024,
	imageRoom.few,
	largeSide,
);

export function fitTogether(images: readonly ImageBlock[], { bytes, few }: ImageRoom = imageRoom): boolean {
	return sizeOf(images) <= bytes && (images.length <= few || !images.some(isLarge));
}

/** Whether the images together exceed the maximum bytes of all images in a request. */
export function fillMoreThanRoom(images: readonly ImageBlock[]): boolean {
	return sizeOf(images) > imageRoom.bytes;
}

/** Returns the limits with each exceeded limit halved. */
export function halfOfRoom(images: readonly ImageBlock[]): ImageRoom {
	const { bytes, few } = imageRoom;
	return {
		bytes: sizeOf(images) > bytes ? bytes / 2 : bytes,
		few: fitTogether(images, { bytes: Number.POSITIVE_INFINITY, few }) ? few : few / 2,
	};
}

function sizeOf(images: readonly ImageBlock[]): number {
	return images.reduce((sum, image) => sum + bytesOf(image), 0);
}

/** Cached results of `isLarge`, so that each image is decoded once. */
const large = new WeakMap<ImageBlock, boolean>();

function isLarge(image: ImageBlock): boolean {
	const known = large.get(image);
	if (known !== undefined) return known;
	const size = imageSize(image.mediaType, Buffer.from(image.data, "base64"));
	const found = size !== undefined && Math.max(size.width, size.height) > largeSide;
	large.set(image, found);
	return found;
}

/** Size in pixels. */
interface ImageSize {
	readonly width: number;
	readonly height: number;
}

/** Reads the size of an image from its header. Returns undefined if the header is damaged. */
export function imageSize(type: ImageType, content: Uint8Array): ImageSize | undefined {
	const size = readers[type](content);
	return size && size.width > 0 && size.height > 0 ? size : undefined;
}

type Reader = (content: Uint8Array) => ImageSize | undefined;

const readers: Readonly<Record<ImageType, Reader>> = {
	"image/png": sizeOfPng,
	"image/jpeg": sizeOfJpeg,
	"image/gif": (content) => ({ width: little(content, 6, 2), height: little(content, 8, 2) }),
	"image/webp": sizeOfWebp,
};

/** Returns the size from the first chunk: https://www.w3.org/TR/png-3/#11IHDR */
function sizeOfPng(content: Uint8Array): ImageSize | undefined {
	if (word(content, 12) !== "IHDR") return undefined;
	return { width: big(content, 16, 4), height: big(content, 20, 4) };
}

/**
 * Returns the size from the frame header, which follows any number of segments:
 * https://www.w3.org/Graphics/JPEG/itu-t81.pdf B.1
 */
function sizeOfJpeg(content: Uint8Array): ImageSize | undefined {
	for (let at = 2; at < content.length; ) {
		if (content[at] !== 0xff) return undefined;
		const marker = content[at + 1] ?? 0;
		if (isFrame(marker)) return { width: big(content, at + 7, 2), height: big(content, at + 5, 2) };
		// More 0xff bytes may precede a marker. Some markers are a complete segment.
		if (marker === 0xff) at += 1;
		else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
		else at += 2 + Math.max(2, big(content, at + 2, 2));
	}
	return undefined;
}

/**
 * Whether the marker starts a frame: SOF0 to SOF15, except three markers of this range that have a different
 * meaning.
 */
function isFrame(marker: number): boolean {
	return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/**
 * Returns the size from the header of the bitstream. The specification of the container links to the formats of the
 * bitstreams: https://developers.google.com/speed/webp/docs/riff_container
 */
function sizeOfWebp(content: Uint8Array): ImageSize | undefined {
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

/**
 * Reads a big-endian number. Bytes beyond the end are read as zero. This is safe because `imageSize` rejects a
 * size of 0.
 */
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
