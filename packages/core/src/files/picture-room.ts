import type { ImageBlock } from "../vocabulary/message.ts";
import { pictureSize } from "./picture-size.ts";
import { bytesOf, maxPicturesBytes } from "./pictures.ts";

/** How much room the pictures of a conversation have. */
interface PictureRoom {
	readonly bytes: number;
	/** How many there may be where one of them is large. */
	readonly few: number;
}

/** Of its width and of its height, in pixels: of what is larger, few pictures may be in a request. */
const largeSide = 2_000;

/** What a provider takes in one request: https://platform.claude.com/docs/en/build-with-claude/vision */
const pictureRoom: PictureRoom = { bytes: maxPicturesBytes, few: 20 };

/** Says to a model why a picture is not shown. */
export const noRoom =
	`the pictures of this conversation have ${pictureRoom.bytes / 1024 / 1024} MiB together at most, ` +
	`and are no more than ${pictureRoom.few} where one is larger than ${largeSide} pixels a side`;

/** Whether all of them can be shown together. */
export function fitTogether(
	pictures: readonly ImageBlock[],
	{ bytes, few }: PictureRoom = pictureRoom,
): boolean {
	return sizeOf(pictures) <= bytes && (pictures.length <= few || !pictures.some(isLarge));
}

/** Whether they have more bytes than all pictures that are shown together may have. */
export function fillMoreThanRoom(pictures: readonly ImageBlock[]): boolean {
	return sizeOf(pictures) > pictureRoom.bytes;
}

/** Where they do not fit: half of what they have too little of, as much as there is of all else. */
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

/** A picture is decoded once for its size. */
const large = new WeakMap<ImageBlock, boolean>();

function isLarge(picture: ImageBlock): boolean {
	const known = large.get(picture);
	if (known !== undefined) return known;
	const size = pictureSize(picture.mediaType, Buffer.from(picture.data, "base64"));
	const found = size !== undefined && Math.max(size.width, size.height) > largeSide;
	large.set(picture, found);
	return found;
}
