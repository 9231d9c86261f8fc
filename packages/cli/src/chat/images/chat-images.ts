import type { Clipboard, ClipboardImage } from "./clipboard.ts";

/** Access to the images that a person sends by a path or from the clipboard. */
export interface ChatImages {
	/** Base directory for a pasted relative path. */
	readonly cwd: string;
	/** Resolves with the base directory for a relative path after `@` in a session. */
	directory(sessionId: string): Promise<string>;
	/** Uploads an image. Returns the id of the image. */
	upload(path: string): Promise<string>;
	/** Access to the clipboard. Absent if the chat cannot read the clipboard. */
	readonly clipboard?: ChatClipboard;
}

export interface ChatClipboard {
	read(): Promise<Clipboard>;
	/** Stores an image until the end of the chat. Returns its path. */
	store(image: ClipboardImage): Promise<string>;
}
