import type { FileFacts } from "@parley/core";
import type { FilePayload } from "@parley/protocol";

/** A file as this wire shows it, with where its content is. */
export function encodeFile({ id, name, mediaType, bytes }: FileFacts): FilePayload {
	return { file_id: id, name, type: mediaType, bytes, url: `/api/files/${id}` };
}
