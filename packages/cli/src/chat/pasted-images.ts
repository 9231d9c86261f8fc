import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { definedItems } from "@parley/base";
import { visibleLine } from "../text/visible.ts";
import { lineTexts } from "../texts/chat/lines.ts";
import type { ChatOptions } from "./chat-options.ts";

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;
/** Maximum characters of a pasted path. */
const maxPath = 4_096;

/**
 * Images of messages. Terminals paste the path of a file that a person drags into them; a label in the message stands for
 * such an image. A path after `@` also names an image.
 */
export class PastedImages {
	readonly #paths = new Map<string, string>();

	/** A label for the image whose path is the complete pasted text; undefined for any other text. */
	labelOf(pasted: string, cwd: string): string | undefined {
		const path = imagePathIn(pasted, cwd);
		if (path === undefined) return undefined;
		for (const [label, known] of this.#paths) if (known === path) return label;
		const label = lineTexts.image({ place: this.#paths.size + 1, name: visibleLine(basename(path)) });
		this.#paths.set(label, path);
		return label;
	}

	/** Uploads the images of a message. Returns their ids; none without an upload. */
	async upload(content: string, images: ChatOptions["images"]): Promise<string[]> {
		const ids: string[] = [];
		const paths = images ? this.pathsIn(content, images.cwd) : [];
		for (const path of paths) ids.push(...definedItems([await images?.upload(path)]));
		return ids;
	}

	/** Paths of the images in a message, each once. */
	pathsIn(content: string, cwd: string): string[] {
		const labelled = [...this.#paths].flatMap(([label, path]) => (content.includes(label) ? [path] : []));
		const named = [...content.matchAll(/(?:^|\s)@(\S+)/g)].flatMap(
			([, text = ""]) => imagePathIn(text, cwd) ?? [],
		);
		return [...new Set([...labelled, ...named])];
	}
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
