import { type ImageType, isImageType } from "../vocabulary/message.ts";

interface TestImage {
	readonly name: string;
	readonly mediaType: ImageType;
	readonly content: Buffer;
}

const jpegTables = "/".repeat(86);

/** One-pixel images, one for each type. The first is a PNG. */
export const testImages = [
	image(
		"PNG",
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	),
	image(
		"JPEG",
		`/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP${jpegTables}wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=`,
	),
	image("GIF", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
	image("WebP", "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA="),
] as const;

function image(name: string, base64: string): TestImage {
	const mediaType = `image/${name.toLowerCase()}`;
	if (!isImageType(mediaType)) throw new Error(mediaType);
	return { name, mediaType, content: Buffer.from(base64, "base64") };
}
