import * as z from "zod";

/** A stored file. `GET` its `url`, a path on the gateway, for the content. */
export const FilePayload = z.object({
	file_id: z.string(),
	name: z.string(),
	/** Detected from the content, for example `image/png`. */
	type: z.string(),
	bytes: z.int().min(0),
	/** `/api/files/ID` */
	url: z.string(),
});
export type FilePayload = Readonly<z.output<typeof FilePayload>>;

/** Response to `POST /api/files`. */
export const UploadedFile = z.object({
	...FilePayload.shape,
	/** Hash of the content, hexadecimal. */
	sha256: z.string(),
	/** Time by which a message must use the file. */
	expires_at: z.string(),
});
export type UploadedFile = Readonly<z.output<typeof UploadedFile>>;
