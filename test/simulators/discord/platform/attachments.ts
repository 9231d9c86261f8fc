import type { AttachmentRecord, ChannelRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";

export interface Upload {
	/** Index of the upload in `files[N]`. */
	readonly index: number;
	readonly name: string;
	readonly bytes: Uint8Array;
}

/** File entry of a request: a new file, or a file that the message already has. */
export interface AttachmentNote {
	readonly id: string | number;
	readonly filename?: string | null;
	readonly description?: string | null;
}

const types: Readonly<Record<string, string>> = {
	txt: "text/plain; charset=utf-8",
	md: "text/markdown; charset=utf-8",
	json: "application/json; charset=utf-8",
	png: "image/png",
	jpg: "image/jpeg",
	gif: "image/gif",
	pdf: "application/pdf",
	zip: "application/zip",
};

function typeOf(name: string): string {
	return types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
}

/** Stores uploaded files. Limits: https://discord.com/developers/docs/reference#uploading-files */
export function storeUploads(
	state: State,
	channel: ChannelRecord,
	files: readonly Upload[],
	{ notes, ephemeral }: { readonly notes: readonly AttachmentNote[]; readonly ephemeral: boolean },
): AttachmentRecord[] {
	if (files.length > 10) throw refusals.invalidForm(["attachments: must be 10 or fewer in length"]);
	return files.map(({ index, name, bytes }) => {
		if (bytes.byteLength > state.settings.fileBytes) throw refusals.requestTooLarge();
		const note = notes.find(({ id }) => String(id) === String(index));
		const stored: AttachmentRecord = {
			id: state.snowflakes.create(),
			channelId: channel.id,
			name: safeName(note?.filename ?? name),
			type: typeOf(note?.filename ?? name),
			bytes: Uint8Array.from(bytes),
			ephemeral,
			...(note?.description && { description: note.description }),
		};
		state.files.set(stored.id, stored);
		return stored;
	});
}

export interface MessageFiles {
	/** Total size of the request's files in bytes. */
	readonly bytes: number;
	/** Names for references such as `attachment://chart.png`. */
	readonly names: readonly string[];
}

/**
 * Returns the total size of the new files in a request, and the names of all files that the message has after the
 * request.
 */
export function filesOf(
	{ attachments }: { readonly attachments?: readonly AttachmentNote[] | null },
	uploads: readonly Upload[],
	staying: readonly AttachmentRecord[] = [],
): MessageFiles {
	const sent = uploads.map(({ index, name }) => {
		const note = attachments?.find(({ id }) => String(id) === String(index));
		return safeName(note?.filename ?? name);
	});
	const bytes = uploads.reduce((sum, file) => sum + file.bytes.byteLength, 0);
	return { bytes, names: [...sent, ...staying.map(({ name }) => name)] };
}

/**
 * Changes a file name as Discord does (discord/discord-api-docs #7754, #6945), and as `secure_filename` does:
 * https://werkzeug.palletsprojects.com/en/stable/utils/
 */
function safeName(name: string): string {
	const plain = name
		.normalize("NFKD")
		.replace(/\P{ASCII}/gu, "")
		.replace(/[/\\]/g, " ");
	const safe = plain
		.trim()
		.replace(/\s+/g, "_")
		.replace(/[^\w.-]/g, "")
		.replace(/^[._]+|[._]+$/g, "");
	// Discord does not document the replacement name.
	return safe === "" ? "unknown" : safe;
}

/**
 * Returns the files that remain after an edit. Without an array, no file remains: "the attachments array must contain
 * all attachments that should be present after edit", https://discord.com/developers/docs/resources/message#edit-message
 */
export function stayingFiles(
	files: readonly AttachmentRecord[],
	notes: readonly AttachmentNote[] | null | undefined,
): AttachmentRecord[] {
	return files.filter(({ id }) => notes?.some((note) => String(note.id) === id));
}
