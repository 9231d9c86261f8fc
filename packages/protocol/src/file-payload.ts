import * as z from "zod";

/** A kept file; `GET` its `url`, which is a path of the gateway, for the content. */
export const FilePayload = z.object({
	file_id: z.string(),
	name: z.string(),
	/** Told by its content, such as `image/png`. */
	type: z.string(),
	bytes: z.int().min(0),
	/** `/api/files/ID` */
	url: z.string(),
});
export type FilePayload = Readonly<z.output<typeof FilePayload>>;

/** The answer to `POST /api/files`. */
export const UploadedFile = z.object({
	...FilePayload.shape,
	/** Of the content, hexadecimal. */
	sha256: z.string(),
	/** Until then a message must have carried it. */
	expires_at: z.string(),
});
export type UploadedFile = Readonly<z.output<typeof UploadedFile>>;
