import { addMessage, announce } from "./messages.ts";
import type { ChannelRecord, FileRecord, UserRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";
import type { State } from "./state.ts";

export interface FileWish {
	readonly name: string;
	readonly size: number;
	readonly owner: UserRecord;
	readonly altText?: string;
	readonly bytes?: Uint8Array;
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

export function addFile(state: State, { name, size, owner, altText, bytes }: FileWish): FileRecord {
	const [, extension = ""] = /\.(\w+)$/.exec(name) ?? [];
	const file: FileRecord = {
		...{ id: state.stamps.id("F"), name, title: name, size, owner, createdAt: state.now(), shares: [] },
		type: types[extension.toLowerCase()] ?? "application/octet-stream",
		...{ complete: bytes !== undefined, deleted: false },
		...(altText !== undefined && { altText }),
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

/** Where the bytes of a file go: https://docs.slack.dev/messaging/working-with-files#uploading_files */
export function uploadUrl(state: State, { id }: FileRecord): string {
	return `${state.hosts.files}/upload/v1/${id}`;
}

/** Takes the bytes of a file, once. False where there is nothing to take. */
export function takeUpload(state: State, url: string, bytes: Uint8Array): boolean {
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

/** What was uploaded shows up in the channel, which may take a while. */
export function shareFiles(state: State, { blocks, ...sharing }: Sharing): void {
	const show = (): void => {
		const making = { author: state.app.user, ...sharing, ...(blocks && { blocks }) };
		announce(state, addMessage(state, making));
	};
	if (state.settings.shareMs > 0) state.clock.after(state.settings.shareMs, show);
	else show();
}

/** What a private address gives to who has the token; undefined: there is no such file. */
export function fileAt(state: State, url: string): FileRecord | undefined {
	const [, id = ""] = /\/files-pri\/\w+?-(\w+)\//.exec(url) ?? [];
	const file = state.files.get(id);
	return url.startsWith(`${state.hosts.files}/`) && file?.complete && !file.deleted ? file : undefined;
}

/** What who may not read a file gets instead, with status 200. */
export const loginPage = "<!DOCTYPE html><html><head><title>Slack</title></head><body>Sign in</body></html>";
