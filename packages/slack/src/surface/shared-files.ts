import { defined } from "@parley/base";
import { cutText, DeliveryError } from "@parley/connector";
import * as z from "zod";
import { limits } from "../vocabulary/limits.ts";
import type { Caller } from "./caller.ts";
import type { Found, History } from "./history.ts";
import type { PostTarget } from "./post-targets.ts";

/** A file that goes with a post. */
export interface SharedFile {
	readonly name: string;
	readonly bytes: Uint8Array;
	/** What is read instead of a picture. */
	readonly alt?: string;
}

const picture = /\.(?:png|jpe?g|gif|webp|bmp|tiff?|heic|avif|svg)$/i;

const Upload = z.object({ upload_url: z.string(), file_id: z.string() });

export interface SharedFilesParts {
	readonly caller: Caller;
	readonly history: History;
}

/**
 * Files in the three steps of https://docs.slack.dev/messaging/working-with-files#upload. Sharing one makes a message of
 * its own, which can carry neither metadata nor buttons and of which Slack does not tell the timestamp: so a post is made
 * first, by which the row is found again, and its files follow in the same place. Whether they came is told by their
 * names, among what we wrote there since the post; the order of the outbox lets no later post of the same file come between.
 */
export class SharedFiles {
	readonly #parts: SharedFilesParts;

	constructor(parts: SharedFilesParts) {
		this.#parts = parts;
	}

	/** Brings the bytes to Slack, where nobody sees them yet; what is never shared goes away by itself. */
	async bring(files: readonly SharedFile[]): Promise<string[]> {
		const { caller } = this.#parts;
		const ids: string[] = [];
		for (const { name, bytes, alt } of files) {
			const args = {
				filename: fileName(name),
				length: bytes.length,
				// It describes pictures: another file that has one was seen to be taken, and never to be shown.
				...defined({
					alt_txt: alt !== undefined && picture.test(name) ? cutText(alt, limits.altText) : undefined,
				}),
			};
			const { body } = await caller.ask({ method: "files.getUploadURLExternal" }, args);
			const upload = Upload.safeParse(body);
			if (!upload.success) throw new DeliveryError("Slack names no place for a file", { kind: "unknown" });
			await caller.upload(upload.data.upload_url, bytes);
			ids.push(upload.data.file_id);
		}
		return ids;
	}

	/** Shows what was brought. Whatever came before must not be done again, so that it never waits. */
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
		await this.#parts.caller.ask({ method: "files.completeUploadExternal", owed: true }, args);
	}

	/** Those that nobody was shown yet. `after`: the timestamp of their post, or the moment in milliseconds. */
	async missing<File extends { readonly name: string; readonly size: number }>(
		files: readonly File[],
		spot: PostTarget,
		{ key, after, since }: { readonly key: string; readonly after?: string; readonly since: number },
	): Promise<File[]> {
		const missing: File[] = [];
		for (const file of files) {
			const fits = (message: Found): boolean =>
				(after === undefined || isLater(message.ts, after)) && message.files.some((one) => isSame(one, file));
			const found = await this.#parts.history.find(spot, { key: `${key} ${file.name}`, since, fits });
			if (found === undefined) missing.push(file);
		}
		return missing;
	}
}

function isSame(one: Found["files"][number], { name, size }: { name: string; size: number }): boolean {
	const named = fileName(name);
	return (one.title === named || one.name === named) && (one.size === undefined || one.size === size);
}

/** Timestamps are of one length but for what a test makes. */
function isLater(one: string, other: string): boolean {
	return Number(one) > Number(other);
}

function fileName(name: string): string {
	return cutText(name.trim() === "" ? "file" : name, limits.fileName);
}
