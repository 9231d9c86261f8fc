/** A kept file, as people and clients are told of it. */
export interface FileFacts {
	readonly id: string;
	/** What people call it: a plain name without directories, safe to show and to write. */
	readonly name: string;
	/** Told by its content, such as `image/png`; `application/octet-stream` where that says nothing. */
	readonly mediaType: string;
	readonly bytes: number;
}

/** A kept file, with what is known of it besides. */
export interface KeptFile extends FileFacts {
	/** Of its content, hexadecimal. */
	readonly sha256: string;
	/** Milliseconds since the epoch; what belongs to a session stays as long as that. */
	readonly expiresAt: number;
}

/** The facts alone, as events and messages hold them. */
export function factsOf({ id, name, mediaType, bytes }: FileFacts): FileFacts {
	return { id, name, mediaType, bytes };
}
