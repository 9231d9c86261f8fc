import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { visibleLine } from "../../text/visible.ts";
import { lineTexts } from "../../texts/chat/lines.ts";
import type { ChatImages } from "./chat-images.ts";

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;
/** Maximum number of characters in a pasted path. */
const maxPath = 4_096;

/** Images of a message, without duplicates. */
export interface MessageImages {
	/** All images that are sent. */
	readonly paths: readonly string[];
	/** Sent images that the message names by a path after `@`. */
	readonly named: readonly string[];
	/** Images that are not sent, because their label, or their path after `@`, is part of a pasted text. */
	readonly pasted: readonly string[];
}

interface Upload {
	readonly images: ChatImages;
	readonly sessionId: string;
	readonly note: (text: string) => void;
}

/**
 * Finds and uploads the images of messages. A label in a message represents an image that a person dragged into the
 * terminal or pasted from the clipboard. A typed path after `@` also names an image. Paths and labels inside other
 * pasted text name no image, because the text may have another author.
 */
export class PastedImages {
	readonly #paths = new Map<string, string>();
	/** Labels, and paths after `@`, that a pasted text contained. Images with these labels or paths are not sent. */
	readonly #foreign = new Set<string>();
	/** Resolves when the last upload has ended. */
	#last: Promise<unknown> = Promise.resolve();

	/**
	 * Returns the label for a pasted text that is the path of an existing image. Otherwise, returns undefined,
	 * and marks the images that the text names. Marked images are not sent.
	 */
	labelOf(pasted: string, cwd: string): string | undefined {
		const path = imagePathIn(pasted, cwd);
		if (path === undefined) {
			for (const name of namesIn(pasted)) this.#foreign.add(name);
			for (const [label] of this.#labelledIn(pasted)) this.#foreign.add(label);
			return undefined;
		}
		return this.labelOfFile(path);
	}

	labelOfFile(path: string): string {
		for (const [label, known] of this.#paths) {
			if (known !== path) continue;
			this.#foreign.delete(label);
			return label;
		}
		const label = lineTexts.image({ place: this.#paths.size + 1, name: visibleLine(basename(path)) });
		this.#paths.set(label, path);
		return label;
	}

	/**
	 * Uploads the images of a message and returns their ids. Waits until the images of earlier messages are
	 * uploaded. Calls `note` for each image that the message names after `@`, and for each image that is not
	 * sent.
	 */
	upload(content: string, options: Upload): Promise<string[]> {
		const uploaded = this.#last.then(() => this.#upload(content, options));
		// The caller handles an upload error, so this promise ignores it.
		this.#last = uploaded.catch(() => undefined);
		return uploaded;
	}

	async #upload(content: string, { images, sessionId, note }: Upload): Promise<string[]> {
		const isPossible = namesIn(content).length > 0 || this.#labelledIn(content).length > 0;
		if (!isPossible) return [];
		const { paths, named, pasted } = this.of(content, await images.directory(sessionId));
		for (const path of pasted) note(lineTexts.notSent({ path }));
		for (const path of named) note(lineTexts.sends({ path }));
		const ids: string[] = [];
		for (const path of paths) ids.push(await images.upload(path));
		return ids;
	}

	/** Returns the images of a message, without duplicates. `directory` is the base of relative paths after `@`. */
	of(content: string, directory: string): MessageImages {
		const images = namesIn(content).flatMap((name) => {
			const path = imagePathIn(name, directory);
			return path === undefined ? [] : [{ path, isForeign: this.#foreign.has(name) }];
		});
		const labelled = this.#labelledIn(content).map(([label, path]) => {
			return { path, isForeign: this.#foreign.has(label) };
		});
		const own = labelled.flatMap(({ path, isForeign }) => (isForeign ? [] : [path]));
		const named = unique(images.flatMap(({ path, isForeign }) => (isForeign ? [] : [path])));
		const paths = unique([...own, ...named]);
		const pasted = unique([...labelled, ...images].map(({ path }) => path)).filter(
			(path) => !paths.includes(path),
		);
		return { paths, named, pasted };
	}

	#labelledIn(content: string): (readonly [label: string, path: string])[] {
		return [...this.#paths].filter(([label]) => content.includes(label));
	}
}

/** Returns the image names after `@` in the text. Omits the punctuation that follows a name in a sentence. */
function namesIn(text: string): string[] {
	const names = [...text.matchAll(/(?:^|\s)@(\S+)/g)].flatMap(([, word = ""]) => {
		// A greedy match from the start, because a search for the punctuation needs quadratic time.
		const [name = ""] = /^.*[^.,;:!?)\]}"'…]/u.exec(word) ?? [];
		return imageName.test(name) ? [name] : [];
	});
	return unique(names);
}

function unique(texts: readonly string[]): string[] {
	return [...new Set(texts)];
}

/**
 * Returns the path of an existing image, or undefined for other text. Accepts a plain path, a path in quotes, a
 * path with backslashes before special characters, or a `file:` address.
 */
function imagePathIn(text: string, cwd: string): string | undefined {
	const given = text.trim();
	if (given === "" || given.length > maxPath || given.includes("\n")) return undefined;
	const [, , quoted] = /^(['"])(.*)\1$/.exec(given) ?? [];
	const path = quoted ?? given.replaceAll(/\\(.)/g, "$1");
	if (!imageName.test(path)) return undefined;
	try {
		const found = path.startsWith("file://") ? fileURLToPath(path) : resolve(cwd, path);
		return statSync(found).isFile() ? found : undefined;
	} catch {
		// The text is not the path or address of an existing file, so it stays a text.
		return undefined;
	}
}
