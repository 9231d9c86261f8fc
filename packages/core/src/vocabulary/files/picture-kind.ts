import type { ImageBlock, ImageType } from "../message.ts";

/** How the contents begin, in hexadecimal digits: https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
const kinds: { readonly [Type in ImageType]: { readonly name: string; readonly begins: RegExp } } = {
	"image/png": { name: "PNG", begins: /^89504e470d0a1a0a/ },
	"image/jpeg": { name: "JPEG", begins: /^ffd8ff/ },
	"image/gif": { name: "GIF", begins: /^474946383[79]61/ },
	"image/webp": { name: "WebP", begins: /^52494646.{8}57454250/ },
};

/** Of base64: twelve bytes, which tell every kind. */
const sampleLength = 16;

/** Why the content cannot be of the type that it was sent as, by its first bytes; undefined where it can. */
export function pictureProblem({
	mediaType,
	data,
}: Pick<ImageBlock, "mediaType" | "data">): string | undefined {
	const { name, begins } = kinds[mediaType];
	const beginning = Buffer.from(data.slice(0, sampleLength), "base64").toString("hex");
	return begins.test(beginning) ? undefined : `not a ${name}`;
}
