import { ParleyError } from "@parley/base";
import type { Attachment } from "./inbound-event.ts";

/** Where a platform keeps what people attach; it lets nothing in from elsewhere, and not more than it is told. */
export interface AttachmentSource {
	download(url: string, most: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** It is held in memory on its way to the gateway. */
const most = 25 * 1024 * 1024;

/** Reads the whole of an attachment; rejects as `ChatPlatform.read` does, where it is larger than 25 MiB as well. */
export async function readAttachment(
	source: AttachmentSource,
	{ name, size, url }: Attachment,
	signal: AbortSignal,
): Promise<Uint8Array> {
	if (size > most) {
		throw new ParleyError(`${name} is larger than 25 MiB: send a smaller one`, {
			code: "resource_exhausted",
		});
	}
	const bytes = await source.download(url, most, signal);
	if (bytes.length === size) return bytes;
	const message = `${name} did not arrive whole: ${bytes.length} of ${size} bytes; send it again`;
	throw new ParleyError(message, { code: "data_loss" });
}
