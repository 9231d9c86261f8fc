import { defined } from "@parley/base";
import { cutText, DeliveryError } from "@parley/connector";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import { limits } from "../vocabulary/limits.ts";
import type { Caller } from "./caller.ts";
import type { Found, History } from "./history.ts";
import type { PostTarget } from "./post-targets.ts";

export interface SharedFile {
	readonly name: string;
	readonly bytes: Uint8Array;
	/** Alternative text of an image. */
	readonly alt?: string;
	/** Language of code, which Slack shows as a snippet. */
	readonly snippet?: string;
}

const image = /\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic|avif|svg)$/i;

const Upload = z.object({ upload_url: z.string(), file_id: z.string() });

export interface SharedFilesParts {
	readonly caller: Caller;
	readonly history: History;
}

/**
 * Files of posts, in the three steps of https://docs.slack.dev/messaging/working-with-files#upload. Sharing a file
 * creates another message without metadata, and Slack does not return its timestamp. Therefore, the post is created
 * before its files are shared. Shared files are recognised by name and size among the bot's messages after the post.
 */
export class SharedFiles {
	readonly #parts: SharedFilesParts;

	constructor(parts: SharedFilesParts) {
		this.#parts = parts;
	}

	/**
	 * Uploads the files, and returns their ids. The files are not visible yet. Slack deletes them if they are never
	 * shared.
	 */
	async upload(files: readonly SharedFile[]): Promise<string[]> {
		const { caller } = this.#parts;
		const ids: string[] = [];
		for (const { name, bytes, alt, snippet } of files) {
			const args = {
				filename: fileName(name),
				length: bytes.length,
				// Only images get an alternative text, because Slack accepts it for other files but does not show it.
				...defined({
					alt_txt: alt !== undefined && image.test(name) ? cutText(alt, limits.altText) : undefined,
				}),
			};
			const isSnippet = snippet !== undefined && bytes.length <= limits.snippetBytes;
			const body = await this.#address(args, isSnippet ? snippet : undefined);
			const upload = Upload.safeParse(body);
			if (!upload.success)
				throw new DeliveryError(deliveryTexts.noUploadAddress({ name }), { kind: "unknown" });
			await caller.upload(upload.data.upload_url, bytes);
			ids.push(upload.data.file_id);
		}
		return ids;
	}

	/**
	 * Requests an upload address, and returns Slack's response. If Slack refuses the language `snippet`, requests
	 * the address of an ordinary file.
	 */
	async #address(args: object, snippet: string | undefined): Promise<Readonly<Record<string, unknown>>> {
		const { caller } = this.#parts;
		const method = "files.getUploadURLExternal";
		if (snippet === undefined) return (await caller.ask({ method }, { ...args })).body;
		try {
			return (await caller.ask({ method }, { ...args, snippet_type: snippet })).body;
		} catch (error) {
			if (DeliveryError.from(error).kind !== "rejected") throw error;
			return (await caller.ask({ method }, { ...args })).body;
		}
	}

	/** Shares uploaded files. Does not wait for rate limits, because the earlier steps must not be repeated. */
	async share(
		ids: readonly string[],
		files: readonly SharedFile[],
		{ channel, thread }: PostTarget,
	): Promise<void> {
		if (ids.length === 0) return;
		const args = {
			files: ids.map((id, index) => ({ id, title: fileName(files[index]?.name ?? id) })),
			channel_id: channel,
			...defined({ thread_ts: thread }),
		};
		await this.#parts.caller.ask({ method: "files.completeUploadExternal", mustFollow: true }, args);
	}

	/**
	 * Returns the files that are not shared yet. `after`: timestamp of their post. `since`: earliest time of the
	 * search, in milliseconds since the epoch.
	 */
	async missing<File extends { readonly name: string; readonly size: number }>(
		files: readonly File[],
		postTarget: PostTarget,
		{ key, after, since }: { readonly key: string; readonly after?: string; readonly since: number },
	): Promise<File[]> {
		const missing: File[] = [];
		for (const file of files) {
			const fits = (message: Found): boolean =>
				(after === undefined || isLater(message.ts, after)) && message.files.some((one) => isSame(one, file));
			const found = await this.#parts.history.find(postTarget, { key: `${key} ${file.name}`, since, fits });
			if (found === undefined) missing.push(file);
		}
		return missing;
	}
}

function isSame(one: Found["files"][number], { name, size }: { name: string; size: number }): boolean {
	const named = fileName(name);
	return (one.title === named || one.name === named) && (one.size === undefined || one.size === size);
}

function isLater(one: string, other: string): boolean {
	// Timestamps in tests have different lengths, so numbers are compared.
	return Number(one) > Number(other);
}

function fileName(name: string): string {
	return cutText(name.trim() === "" ? "file" : name, limits.fileName);
}
