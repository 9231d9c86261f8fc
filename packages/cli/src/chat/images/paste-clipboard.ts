import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clipboardTexts } from "../../texts/chat/clipboard.ts";
import type { ChatImages } from "./chat-images.ts";
import type { Clipboard, ClipboardImage } from "./clipboard.ts";
import type { PastedImages } from "./pasted-images.ts";

/** Text for the message, or a notice with the reason why there is no text. */
export type PastedClipboard = { readonly text: string } | { readonly notice: string };

/** Reads the clipboard. An image becomes a label, which the message sends. Never rejects. */
export async function pasteClipboard(
	images: ChatImages | undefined,
	labels: PastedImages,
): Promise<PastedClipboard> {
	if (!images?.clipboard) return { notice: clipboardTexts.notHere };
	try {
		const content = await images.clipboard.read();
		if (content.kind === "image") return { text: labels.labelOfFile(await images.clipboard.store(content)) };
		return content.kind === "text" ? { text: content.text } : { notice: noticeOf(content) };
	} catch {
		return { notice: clipboardTexts.failed };
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

/** Files of pasted images, which only this user can read. They are deleted when the chat ends. */
export class ClipboardFiles implements AsyncDisposable {
	#directory: Promise<string> | undefined;
	#count = 0;

	/** Stores an image and returns its path. */
	async add({ bytes, extension }: ClipboardImage): Promise<string> {
		this.#directory ??= mkdtemp(join(tmpdir(), "parley-clipboard-"));
		this.#count += 1;
		const path = join(await this.#directory, `clipboard-${this.#count}.${extension}`);
		await writeFile(path, bytes, { mode: 0o600 });
		return path;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		const directory = await this.#directory;
		if (directory !== undefined) await rm(directory, { recursive: true, force: true });
	}
}
