import { ParleyError } from "@parley/base";
import { fileTexts } from "../texts/messages.ts";
import { downloadTexts } from "../texts/shared.ts";
import type { Attachment } from "./inbound-event.ts";

/**
 * Source of a platform's attachments. An implementation must refuse addresses that do not belong to the platform, and
 * files of more than `maximum` bytes.
 */
export interface AttachmentSource {
	download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** Maximum size of a file in bytes. The complete file is in memory during the transfer. */
const maximum = 25 * 1024 * 1024;

/**
 * Reads a complete attachment. Rejects with a `ParleyError` that has a message for people: `resource_exhausted` for
 * more than 25 MiB, and `data_loss` if the size differs from the reported size. Also rejects as `download` does.
 */
export async function readAttachment(
	source: AttachmentSource,
	{ size, url }: Attachment,
	signal: AbortSignal,
): Promise<Uint8Array> {
	if (size > maximum) {
		const message = fileTexts.tooLarge({ maximum: "25 MiB" });
		throw new ParleyError(message, { code: "resource_exhausted" });
	}
	const bytes = await source.download(url, maximum, signal);
	if (bytes.length === size) return bytes;
	const message = fileTexts.incomplete({ bytes: bytes.length, size });
	throw new ParleyError(message, { code: "data_loss" });
}

/** Returns the bytes of a stream. Rejects with `resource_exhausted` as soon as the stream has more than `maximum` bytes. */
export async function readBounded(
	chunks: AsyncIterable<Uint8Array>,
	maximum: number,
	name: string,
	fix?: string,
): Promise<Buffer> {
	const read: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of chunks) {
		size += chunk.length;
		if (size > maximum) {
			const problem = downloadTexts.larger({ name, maximum });
			const message = fix === undefined ? problem : `${problem}: ${fix}`;
			throw new ParleyError(message, { code: "resource_exhausted" });
		}
		read.push(chunk);
	}
	return Buffer.concat(read);
}

/** Whether a retry may succeed after this HTTP status: RFC 9110, section 15, RFC 6585 (429), and RFC 8470 (425). */
export function mayPass(status: number): boolean {
	return status >= 500 || status === 408 || status === 425 || status === 429;
}

const units = ["bytes", "KB", "MB", "GB"] as const;

/** Returns a size with units of 1024, as in the limits of platforms: `30 MB` is 30 × 1024² bytes. */
function sizeText(bytes: number): string {
	let [size, unit] = [bytes, 0];
	while (size >= 1024 && unit < units.length - 1) [size, unit] = [size / 1024, unit + 1];
	const shown = Number.isInteger(size) || size >= 10 ? Math.round(size) : Math.round(size * 10) / 10;
	return `${shown} ${units[unit]}`;
}

/**
 * Returns sentences for people about a file that is too large for a platform. `maximum` is the limit in bytes, if
 * known.
 */
export function fileTooLarge(
	{ name, size }: { readonly name: string; readonly size: number },
	platform: string,
	maximum?: number,
): string {
	return fileTexts.tooLargeToPost({
		name,
		size: sizeText(size),
		platform,
		maximum: maximum === undefined ? undefined : sizeText(maximum),
	});
}
