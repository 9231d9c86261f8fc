import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { ParleyError } from "@parley/base";
import { Parser, type ReadEntry } from "tar";
import { errno } from "../data-directory/errno.ts";
import { readBackupTexts } from "../texts/backup.ts";
import {
	contentPrefix,
	decodeManifest,
	type Manifest,
	type ManifestFile,
	manifestName,
	maxManifestBytes,
} from "./manifest.ts";

/**
 * Number of bytes that an archive may contain in addition to the content of the files, for example for headers and
 * padding.
 */
const overheadBytes = 1024 * 1024;
const overheadPerFile = 8 * 1024;

/** Limits for unpacking. A backup above a limit is refused before it fills the disk. */
export interface UnpackLimits {
	/** Maximum total bytes of all files. */
	readonly maxBytes: number;
	/** Maximum number of unpacked bytes for each byte of the archive. Applies from 64 MiB of unpacked data. */
	readonly maxRatio: number;
}

/**
 * Default limits. Databases and text usually shrink to between a third and a tenth of their size. Deflate compresses
 * at most 1,032 : 1.
 */
const defaultLimits: UnpackLimits = { maxBytes: 100e9, maxRatio: 100 };

/** First bytes of gzip data. */
const gzipStart = Buffer.from([0x1f, 0x8b]);

const ratioCountsFrom = 64 * 1024 * 1024;
/** Number of unpacked bytes between two reports of progress. */
const reportBytes = 16 * 1024 * 1024;

interface ReadOptions {
	readonly limits?: Partial<UnpackLimits> | undefined;
	/**
	 * Reports the progress while the archive is read. `bytes` are the unpacked bytes so far. `all` is the total, which
	 * is undefined before the manifest is read.
	 */
	readonly onBytes?: ((bytes: number, all: number | undefined) => void) | undefined;
}

export interface BackupReader {
	/** Receives the manifest, before all files. Rejects to refuse the backup. */
	begin(manifest: Manifest): Promise<void>;
	/** Receives one file. The next file follows after the promise has resolved. Must read `content` to its end. */
	receive(file: ManifestFile, content: AsyncIterable<Buffer>): Promise<void>;
}

/**
 * Reads a backup, and checks that it contains exactly the files in its manifest, each once, with the listed size and
 * hash. Rejects with `data_loss` for a damaged backup, and with `resource_exhausted` above a limit. Other errors come
 * from reading the file, or from `reader`. After any rejection, the caller must delete the received content. Only the
 * manifest is kept in memory.
 */
export async function readBackup(
	file: string,
	reader: BackupReader,
	{ limits, onBytes }: ReadOptions = {},
): Promise<Manifest> {
	const reading = new Reading(reader, { limits: { ...defaultLimits, ...limits }, onBytes });
	try {
		await reading.read(createReadStream(file));
		return reading.finish();
	} catch (reason) {
		throw explain(file, reason);
	}
}

class Reading {
	readonly #reader: BackupReader;
	readonly #limits: UnpackLimits;
	readonly #onBytes: ReadOptions["onBytes"];
	readonly #missing = new Map<string, ManifestFile>();
	#manifest: Manifest | undefined;
	#allowed = maxManifestBytes + overheadBytes;
	#work = Promise.resolve();
	#entry: ReadEntry | undefined;
	#stopped = false;
	readonly #failed = Promise.withResolvers<never>();

	constructor(
		reader: BackupReader,
		{ limits, onBytes }: { limits: UnpackLimits; onBytes: ReadOptions["onBytes"] },
	) {
		this.#reader = reader;
		this.#limits = limits;
		this.#onBytes = onBytes;
		// `#read` awaits this promise in races. Without a handler, an earlier rejection would end the process.
		this.#failed.promise.catch(() => undefined);
	}

	/** Reads the archive. When the promise rejects, no entry is being processed. */
	async read(archive: Readable): Promise<void> {
		try {
			await this.#read(archive);
		} catch (reason) {
			this.#stopped = true;
			this.#entry?.destroy(damaged(readBackupTexts.unreadable));
			await this.#work;
			throw reason;
		} finally {
			archive.destroy();
		}
	}

	async #read(archive: Readable): Promise<void> {
		// The parser must not unpack its input again, because the limits apply to this input. The parser has no option
		// that disables gzip, so the first bytes are checked below.
		const parser = new Parser({ strict: true, brotli: false, zstd: false });
		parser.on("entry", (entry: ReadEntry) => {
			this.#work = this.#work.then(() => this.#enter(entry)).catch((reason) => this.#failed.reject(reason));
		});
		parser.on("ignoredEntry", (entry: ReadEntry) => this.#failed.reject(unlisted(entry)));
		parser.on("error", (reason: unknown) => this.#failed.reject(reason));
		const ended = once(parser, "end").catch((reason: unknown) => this.#failed.reject(reason));
		let isOver = false;
		parser.on("eof", () => {
			isOver = true;
		});
		let bytes = 0;
		const start = Buffer.alloc(gzipStart.length);
		const plain = archive.pipe(createGunzip());
		archive.on("error", (reason) => plain.destroy(reason));
		for await (const chunk of plain) {
			if (bytes < start.length) chunk.copy(start, bytes);
			if (start.equals(gzipStart)) throw damaged(readBackupTexts.compressedTwice);
			this.#report(bytes, bytes + chunk.length);
			bytes += chunk.length;
			if (bytes > this.#allowed) throw damaged(readBackupTexts.moreThanListed);
			this.#checkRatio(bytes, plain.bytesWritten);
			if (isOver) {
				// After the end of the archive, the parser would buffer all padding, and copy all of it again with each
				// chunk.
				checkPadding(chunk);
				continue;
			}
			if (!parser.write(chunk)) await Promise.race([once(parser, "drain"), this.#failed.promise]);
		}
		parser.end();
		await Promise.race([ended, this.#failed.promise]);
		await Promise.race([this.#work, this.#failed.promise]);
	}

	finish(): Manifest {
		const [missing] = this.#missing.keys();
		if (!this.#manifest) throw damaged(readBackupTexts.noList);
		if (missing !== undefined) throw damaged(readBackupTexts.missing({ file: missing }));
		return this.#manifest;
	}

	#report(before: number, bytes: number): void {
		if (Math.floor(before / reportBytes) === Math.floor(bytes / reportBytes)) return;
		const all = this.#manifest?.files.reduce((sum, file) => sum + file.bytes, 0);
		this.#onBytes?.(bytes, all);
	}

	#checkRatio(bytes: number, packed: number): void {
		const { maxRatio } = this.#limits;
		if (bytes < ratioCountsFrom || bytes <= packed * maxRatio) return;
		throw new ParleyError(readBackupTexts.tooCompressed({ maxRatio }), { code: "resource_exhausted" });
	}

	#checkSize({ files }: Manifest): void {
		const { maxBytes } = this.#limits;
		const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
		if (bytes <= maxBytes) return;
		throw new ParleyError(readBackupTexts.tooLarge({ bytes, maxBytes }), { code: "resource_exhausted" });
	}

	async #enter(entry: ReadEntry): Promise<void> {
		if (this.#stopped) return;
		this.#entry = entry;
		// A reader of the entry also receives the error. If the entry has no reader and no listener, Node throws the error.
		entry.on("error", () => undefined);
		if (!this.#manifest) {
			this.#manifest = await readManifest(entry);
			this.#checkSize(this.#manifest);
			for (const file of this.#manifest.files) this.#missing.set(contentPrefix + file.path, file);
			this.#allowed = entry.size + allowedFor(this.#manifest);
			await this.#reader.begin(this.#manifest);
			return;
		}
		const file = this.#missing.get(entry.path);
		if (!file || entry.type !== "File") throw unlisted(entry);
		this.#missing.delete(entry.path);
		const hash = createHash("sha256");
		let bytes = 0;
		await this.#reader.receive(
			file,
			pass(entry, (chunk) => {
				hash.update(chunk);
				bytes += chunk.length;
			}),
		);
		if (bytes !== file.bytes || hash.digest("hex") !== file.sha256)
			throw damaged(readBackupTexts.differs({ path: file.path }));
	}
}

/** Zeros for comparison. There are as many zeros as bytes in a chunk that gunzip emits. */
const zeros = Buffer.alloc(16 * 1024);

function checkPadding(chunk: Buffer): void {
	for (let at = 0; at < chunk.length; at += zeros.length) {
		const part = chunk.subarray(at, at + zeros.length);
		if (!part.equals(zeros.subarray(0, part.length))) throw damaged(readBackupTexts.contentAfterEnd);
	}
}

function allowedFor({ files }: Manifest): number {
	const contents = files.reduce((sum, { bytes }) => sum + bytes, 0);
	return contents + overheadBytes + files.length * overheadPerFile;
}

async function readManifest(entry: ReadEntry): Promise<Manifest> {
	const isManifest = entry.path === manifestName && entry.type === "File";
	if (!isManifest || entry.size > maxManifestBytes) throw damaged(readBackupTexts.noList);
	return decodeManifest((await buffer(pass(entry, () => undefined))).toString("utf8"));
}

async function* pass(entry: ReadEntry, inspect: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
	for await (const chunk of entry) {
		inspect(chunk);
		yield chunk;
	}
}

function unlisted({ path, type }: ReadEntry): ParleyError {
	return damaged(readBackupTexts.unlisted({ path: JSON.stringify(path), type }));
}

function damaged(problem: string): ParleyError {
	return new ParleyError(problem, { code: "data_loss" });
}

function explain(file: string, reason: unknown): ParleyError {
	if (errno(reason) === "ENOENT")
		return new ParleyError(readBackupTexts.noFile({ file }), { code: "not_found" });
	if (errno(reason) === "EISDIR") {
		return new ParleyError(readBackupTexts.isDirectory({ file }), {
			code: "invalid_argument",
			cause: reason,
		});
	}
	if (errno(reason) === "EACCES") {
		return new ParleyError(readBackupTexts.notReadable({ file }), {
			code: "permission_denied",
			cause: reason,
		});
	}
	if (reason instanceof ParleyError) {
		const { code, message } = reason;
		if (code !== "data_loss" && !/--max-/.test(message)) return reason;
		const fault = code === "data_loss" ? readBackupTexts.otherBackup({ reason: message }) : message;
		return new ParleyError(readBackupTexts.unusable({ file, reason: fault }), { code, cause: reason });
	}
	const code = errno(reason) ?? "";
	if (/^(?:Z_|TAR_)/.test(code)) {
		return new ParleyError(readBackupTexts.damaged({ file, reason: code }), {
			code: "data_loss",
			cause: reason,
		});
	}
	return ParleyError.from(reason);
}
