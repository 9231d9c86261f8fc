import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { visibleLine } from "../text/visible.ts";
import { lineTexts } from "../texts/chat/lines.ts";
import type { ChatImages } from "./chat-options.ts";

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;
/** Maximum characters of a pasted path. */
const maxPath = 4_096;

/** The images that a message sends. */
export interface MessageImages {
	readonly paths: readonly string[];
	/** Those of them that the message names by a path after `@`. */
	readonly named: readonly string[];
	/** Images that are not sent, because their path after `@` was part of a pasted text. */
	readonly pasted: readonly string[];
}

interface Upload {
	readonly images: ChatImages;
	readonly sessionId: string;
	readonly note: (text: string) => void;
}

/**
 * Images of messages. Terminals paste the path of a file that a person drags into them; a label in the message stands for
 * such an image. A typed path after `@` also names an image. In a longer pasted text it does not: the text may have
 * another author.
 */
export class PastedImages {
	readonly #paths = new Map<string, string>();
	/** Paths after `@` in pasted texts. */
	readonly #foreign = new Set<string>();
	/** Resolves when the last upload has ended. */
	#last: Promise<unknown> = Promise.resolve();

	/** A label for the image whose path is the complete pasted text; undefined for any other text. */
	labelOf(pasted: string, cwd: string): string | undefined {
		const path = imagePathIn(pasted, cwd);
		if (path === undefined) {
			for (const name of namesIn(pasted)) this.#foreign.add(name);
			return undefined;
		}
		for (const [label, known] of this.#paths) if (known === path) return label;
		const label = lineTexts.image({ place: this.#paths.size + 1, name: visibleLine(basename(path)) });
		this.#paths.set(label, path);
		return label;
	}

	/**
	 * Uploads the images of a message and returns their ids, when those of the messages before it are uploaded. Passes a note
	 * about each path after `@` to `note`.
	 */
	upload(content: string, options: Upload): Promise<string[]> {
		const uploaded = this.#last.then(() => this.#upload(content, options));
		// The caller handles an error.
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

	/** The images of a message, each once. `directory`: directory of relative paths after `@`. */
	of(content: string, directory: string): MessageImages {
		const images = namesIn(content).flatMap((name) => {
			const path = imagePathIn(name, directory);
			return path === undefined ? [] : [{ path, isForeign: this.#foreign.has(name) }];
		});
		const labelled = this.#labelledIn(content);
		const named = unique(images.flatMap(({ path, isForeign }) => (isForeign ? [] : [path])));
		const paths = unique([...labelled, ...named]);
		const pasted = unique(images.map(({ path }) => path)).filter((path) => !paths.includes(path));
		return { paths, named, pasted };
	}

	#labelledIn(content: string): string[] {
		return [...this.#paths].flatMap(([label, path]) => (content.includes(label) ? [path] : []));
	}
}

/** Names of images after `@`, without the punctuation of the sentence. */
function namesIn(text: string): string[] {
	return [...text.matchAll(/(?:^|\s)@(\S+)/g)].flatMap(([, word = ""]) => {
		const name = word.replace(/[.,;:!?)\]}"'…]+$/u, "");
		return imageName.test(name) ? [name] : [];
	});
}

function unique(paths: readonly string[]): string[] {
	return [...new Set(paths)];
}

/** Path of an existing image file: as it is, in quotes, with backslashes before special characters, or as a `file:` address. */
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
		// No such file, or no address of one: the text stays a text.
		return undefined;
	}
}
