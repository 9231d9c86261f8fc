import * as z from "zod";

/** A stored file. A `GET` request for the file's `url` returns the content. */
export const FilePayload = z.object({
	file_id: z.string(),
	name: z.string(),
	/** Type that was detected from the content, for example `image/png`. */
	type: z.string(),
	bytes: z.int().min(0),
	/** Path on the gateway: `/api/files/ID`. */
	url: z.string(),
});
export type FilePayload = Readonly<z.output<typeof FilePayload>>;

/** Response to `POST /api/files`. */
export const UploadedFile = z.object({
	...FilePayload.shape,
	/** Hash of the content in hexadecimal. */
	sha256: z.string(),
	/** Time at which the file expires unless a message uses it. */
	expires_at: z.string(),
});
export type UploadedFile = Readonly<z.output<typeof UploadedFile>>;
