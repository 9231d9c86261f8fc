import type { FileFacts } from "@parley/core";
import type { FilePayload } from "@parley/protocol";

/** Encodes a stored file. `url` is the path of its content. */
export function encodeFile({ id, name, mediaType, bytes }: FileFacts): FilePayload {
	return { file_id: id, name, type: mediaType, bytes, url: `/api/files/${id}` };
}
