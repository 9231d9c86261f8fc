import type { Attachment, FileFacts } from "../vocabulary/kept-file.ts";
import { type ImageBlock, isImageType, type Message } from "../vocabulary/message.ts";
import type { Asked } from "../vocabulary/transcript.ts";
import type { Files } from "./files.ts";

/** A picture may have 5 MiB in base64: https://platform.claude.com/docs/en/build-with-claude/vision */
export const maxPictureBytes = 3_932_160;
/** Of its width and of its height, in pixels: more are refused, says the same page. */
export const maxPictureSide = 8_000;
/** A request may have 32 MB, of which base64 makes a third; the rest is for what is said. */
export const maxPicturesBytes = 18 * 1024 * 1024;

/** Whether a model can be shown the file, `before` bytes of pictures being in the conversation already. */
export function isPicture({ mediaType, bytes }: FileFacts, before: number): boolean {
	return isImageType(mediaType) && bytes <= maxPictureBytes && before + bytes <= maxPicturesBytes;
}

/** The picture that a kept file holds; undefined where it is of no type that a model sees, or gone. */
export async function loadPicture(
	files: Files,
	{ id, mediaType }: FileFacts,
): Promise<ImageBlock | undefined> {
	if (!isImageType(mediaType)) return undefined;
	const content = await files.load(id);
	return content && { type: "image", mediaType, data: content.toString("base64") };
}

/** Pictures that came within a message, as it tells of those that the model does not see. */
export function toldOnly(images: readonly ImageBlock[], problem: string): Attachment[] {
	return images.map((image) => ({
		...{ id: "", name: "a picture", mediaType: image.mediaType, bytes: bytesOf(image), problem },
	}));
}

/** Bytes of the pictures in these messages. */
export function pictureBytes(messages: readonly Message[]): number {
	return messages
		.flatMap(({ content }) => content.flatMap(picturesOf))
		.reduce((sum, picture) => sum + bytesOf(picture), 0);
}

/** Bytes of a picture, without its base64. */
export function bytesOf({ data }: ImageBlock): number {
	return Buffer.byteLength(data, "base64");
}

function picturesOf(block: Message["content"][number]): readonly ImageBlock[] {
	if (block.type === "image") return [block];
	return block.type === "result" ? (block.pictures ?? []) : [];
}

/** With the pictures that the model sees; for one whose file is gone the model is told so. */
export async function withPictures<T extends Asked>(files: Files, asked: T): Promise<T> {
	const { attachments = [], retryOf } = asked;
	// What is asked again stands with the run that it was asked first, and so do its pictures.
	if (retryOf !== undefined || !attachments.some(({ shown }) => shown)) return asked;
	const loaded = await Promise.all(attachments.map((attachment) => load(files, attachment)));
	return {
		...asked,
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
	if (!picture) return { attachment: { ...attachment, problem: "it is no longer kept" } };
	return { attachment, picture };
}
