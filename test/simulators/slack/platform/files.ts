import { addMessage, announce } from "./messages.ts";
import type { ChannelRecord, FileRecord, UserRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { State } from "./state.ts";

export interface NewFile {
	readonly name: string;
	readonly size: number;
	readonly owner: UserRecord;
	readonly altText?: string;
	readonly bytes?: Uint8Array;
	readonly snippet?: string;
}

const types: Readonly<Record<string, string>> = {
	...{ txt: "text/plain", md: "text/markdown", json: "application/json", csv: "text/csv", html: "text/html" },
	...{
		png: "image/png",
		jpg: "image/jpeg",
		gif: "image/gif",
		pdf: "application/pdf",
		zip: "application/zip",
	},
};

export function addFile(state: State, { name, size, owner, altText, bytes, snippet }: NewFile): FileRecord {
	const [, extension = ""] = /\.(\w+)$/.exec(name) ?? [];
	const file: FileRecord = {
		...{ id: state.stamps.id("F"), name, title: name, size, owner, createdAt: state.now(), shares: [] },
		type:
			snippet === undefined ? (types[extension.toLowerCase()] ?? "application/octet-stream") : "text/plain",
		...{ complete: bytes !== undefined, deleted: false },
		...(altText !== undefined && { altText }),
		...(snippet !== undefined && { snippet }),
		...(bytes && { bytes }),
	};
	state.files.set(file.id, file);
	return file;
}

export function fileOf(state: State, id: string): FileRecord {
	const file = state.files.get(id);
	if (!file?.complete) throw new Refusal("file_not_found");
	if (file.deleted) throw new Refusal("file_deleted");
	return file;
}

/** Returns the upload address of a file: https://docs.slack.dev/messaging/working-with-files#uploading_files */
export function uploadUrl(state: State, { id }: FileRecord): string {
	return `${state.hosts.files}/upload/v1/${id}`;
}

/** Accepts the bytes of a file once. Returns false if the address does not expect an upload of this size. */
export function storeUpload(state: State, url: string, bytes: Uint8Array): boolean {
	const id = url.startsWith(`${state.hosts.files}/upload/v1/`) ? url.split("/").at(-1) : undefined;
	const file = state.files.get(id ?? "");
	if (!file || file.bytes || file.size !== bytes.byteLength) return false;
	file.bytes = Uint8Array.from(bytes);
	return true;
}

export interface Sharing {
	readonly files: readonly FileRecord[];
	readonly channel: ChannelRecord;
	readonly threadTs?: string;
	readonly text: string;
	readonly blocks?: Parameters<typeof addMessage>[1]["blocks"];
}

/** Posts a message of the app with the uploaded files after `shareMs`. */
export function shareFiles(state: State, { blocks, ...sharing }: Sharing): void {
	const show = (): void => {
		const making = { author: state.app.user, ...sharing, ...(blocks && { blocks }) };
		announce(state, addMessage(state, making));
	};
	if (state.settings.shareMs > 0) state.clock.after(state.settings.shareMs, show);
	else show();
}

/** Returns the file at a private address. Undefined if the file does not exist, is incomplete, or was deleted. */
export function fileAt(state: State, url: string): FileRecord | undefined {
	const [, id = ""] = /\/files-pri\/\w+?-(\w+)\//.exec(url) ?? [];
	const file = state.files.get(id);
	return url.startsWith(`${state.hosts.files}/`) && file?.complete && !file.deleted ? file : undefined;
}

/** Response body for a caller who may not read a file. Slack sends it with status 200. */
export const loginPage = "<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in</body></html>";
