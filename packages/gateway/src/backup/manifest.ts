import { ParleyError, parseJson } from "@parley/base";
import { issueWords } from "@parley/protocol";
import * as z from "zod";
import { readBackupTexts } from "../texts/backup.ts";

/** First entry of a backup, with the list of all other entries. */
export const manifestName = "manifest.json";
/** Directory of all other entries, under their paths in the data directory. */
export const contentPrefix = "data/";
/** Maximum size of a manifest in bytes. This size suffices for a million files with short paths. */
export const maxManifestBytes = 256 * 1024 * 1024;
export const databasePath = "parley.sqlite";

const format = 1;
const maxPathBytes = 1_000;

const File = z.strictObject({
	path: z.string().refine(isPlain, readBackupTexts.invalidPath),
	bytes: z.int().min(0),
	sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const Manifest = z.object({
	format: z.int(),
	version: z.string().max(100),
	created_at: z.iso.datetime(),
	/** Names of the migrations that were applied to the database. They identify the schema of the database. */
	migrations: z.array(z.string().max(200)),
	files: z.array(File),
});

export type Manifest = Readonly<z.infer<typeof Manifest>>;
export type ManifestFile = Readonly<z.infer<typeof File>>;

export function encodeManifest(manifest: Omit<Manifest, "format">): string {
	return `${JSON.stringify({ format, ...manifest }, undefined, "\t")}\n`;
}

/** Decodes a manifest. Throws `data_loss` for an invalid manifest, and `failed_precondition` for a newer format. */
export function decodeManifest(text: string): Manifest {
	const value = readJson(text);
	const manifest = Manifest.safeParse(value, { error: issueWords });
	const found = z.object({ format: z.int().min(format + 1), version: z.string() }).safeParse(value);
	if (found.success) {
		throw new ParleyError(readBackupTexts.newerVersion({ version: found.data.version }), {
			code: "failed_precondition",
		});
	}
	if (!manifest.success) {
		const [issue] = manifest.error.issues;
		const fault = `${issue?.path.join(".")}: ${issue?.message}`;
		throw new ParleyError(readBackupTexts.invalidList({ fault }), { code: "data_loss" });
	}
	checkDistinct(manifest.data.files);
	return manifest.data;
}

function readJson(text: string): unknown {
	try {
		return parseJson(text, { maxNodes: 20_000_000 });
	} catch (cause) {
		throw new ParleyError(readBackupTexts.listNotJson, { code: "data_loss", cause });
	}
}

/**
 * Whether a path is valid in a manifest: short enough, inside the data directory, without special characters, and not
 * in a reserved file or directory.
 */
function isPlain(path: string): boolean {
	if (Buffer.byteLength(path) > maxPathBytes) return false;
	const parts = path.split("/");
	return !isReserved(parts[0] ?? "") && parts.every(isPlainName);
}

function isPlainName(name: string): boolean {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds refused characters
	return name !== "" && name !== "." && name !== ".." && !/[\0-\x1f\x7f\\]/.test(name);
}

/**
 * Name of the file with the note about a restore. The file exists until the gateway has written the note to the audit
 * log.
 */
export const restoreNote = "restored.json";

/**
 * Whether a name in a data directory belongs to a running gateway or to a restore. Files with such a name are neither
 * saved nor restored.
 */
export function isReserved(name: string): boolean {
	return (
		name === "run" ||
		name === restoreNote ||
		/^(?:before-restore|restore\.(?:part|ready|placing))-/.test(name)
	);
}

/**
 * Directory with the workspaces of sessions. Backups omit this directory, but backups of earlier versions contain
 * parts of it.
 */
export const workspacesDirectory = "workspaces";

function checkDistinct(files: readonly ManifestFile[]): void {
	const seen = new Set<string>();
	for (const { path } of files) {
		if (seen.has(path)) {
			throw new ParleyError(readBackupTexts.listedTwice({ path: JSON.stringify(path) }), {
				code: "data_loss",
			});
		}
		seen.add(path);
	}
}
