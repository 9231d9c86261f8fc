/** A kept file, as people and clients are told of it. */
export interface FileFacts {
	readonly id: string;
	/** What people call it: a plain name without directories, safe to show and to write. */
	readonly name: string;
	/** Told by its content, such as `image/png`; `application/octet-stream` where that says nothing. */
	readonly mediaType: string;
	readonly bytes: number;
}
