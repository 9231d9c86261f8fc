import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { visibleLine } from "../../text/visible.ts";
import { clipboardTexts } from "../../texts/chat/clipboard.ts";
import type { ChatImages } from "./chat-images.ts";
import type { Clipboard, ClipboardImage } from "./clipboard.ts";
import type { PastedImages } from "./pasted-images.ts";

/**
 * Text for the message: the label of an image, or plain text. Otherwise, a notice with the reason why the clipboard
 * provides neither.
 */
export type PastedClipboard =
	| { readonly label: string }
	| { readonly text: string }
	| { readonly notice: string };

/** Reads the clipboard. An image becomes a label, which represents the image in the message. Never rejects. */
export async function pasteClipboard(
	images: ChatImages | undefined,
	labels: PastedImages,
): Promise<PastedClipboard> {
	if (!images?.clipboard) return { notice: clipboardTexts.notHere };
	try {
		const content = await images.clipboard.read();
		if (content.kind === "image") return { label: labels.labelOfFile(await images.clipboard.store(content)) };
		return content.kind === "text" ? { text: content.text } : { notice: noticeOf(content) };
	} catch (error) {
		const reason = visibleLine(error instanceof Error ? error.message : String(error));
		return { notice: clipboardTexts.failed({ reason }) };
	}
}

function noticeOf(content: Exclude<Clipboard, { readonly kind: "image" | "text" }>): string {
	switch (content.kind) {
		case "empty":
			return clipboardTexts.empty;
		case "no-program":
			return clipboardTexts.noProgram({ programs: content.programs });
		case "no-clipboard":
			return clipboardTexts.noClipboard;
		case "failed":
			return clipboardTexts.programFailed({ program: content.program });
	}
}

/** Files with pasted images. Only this user can read the files, and they are deleted when the chat ends. */
export class ClipboardFiles implements AsyncDisposable {
	readonly #parent: string;
	readonly #ending = new AbortController();
	#directory: string | undefined;
	#count = 0;
	/** Resolves when the last image is stored or could not be stored. */
	#last: Promise<unknown> = Promise.resolve();
	/**
	 * Deletes the files when the process exits without disposing of them, for example because its terminal was
	 * closed.
	 */
	readonly #deleteNow = (): void => {
		if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
	};

	/** Sets the parent of the directory that contains the files. */
	constructor(parent = tmpdir()) {
		this.#parent = parent;
	}

	/** Returns a signal that aborts when the chat ends. */
	get signal(): AbortSignal {
		return this.#ending.signal;
	}

	/** Stores an image and returns its path. Rejects after the end of the chat. */
	add(image: ClipboardImage): Promise<string> {
		const added = this.#last.then(() => this.#store(image));
		// The caller handles the error, so this promise ignores it.
		this.#last = added.catch(() => undefined);
		return added;
	}

	async #store({ bytes, extension }: ClipboardImage): Promise<string> {
		this.signal.throwIfAborted();
		this.#directory ??= await this.#makeDirectory();
		this.#count += 1;
		const path = join(this.#directory, `clipboard-${this.#count}.${extension}`);
		await writeFile(path, bytes, { mode: 0o600 });
		return path;
	}

	async #makeDirectory(): Promise<string> {
		const directory = await mkdtemp(join(this.#parent, "parley-clipboard-"));
		process.once("exit", this.#deleteNow);
		return directory;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await this.#last;
		if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
		process.off("exit", this.#deleteNow);
	}
}
