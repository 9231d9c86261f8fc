import { constants } from "node:fs";
import { copyFile, type FileHandle, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type Clock, type Ids, type Logger, ParleyError, type Store } from "@parley/base";
import { fileError, systemCode } from "../filesystem/file-error.ts";
import { type Keyed, knowsKey, once } from "../store/idempotency.ts";
import type { Tx } from "../store/journal.ts";
import { stamp, type Tables } from "../store/tables.ts";
import { authorize } from "../vocabulary/authorize.ts";
import type { Principal } from "../vocabulary/principal.ts";
import {
	defaultFileLimits,
	type FileLimits,
	FileTooLargeError,
	leastCounted,
	refuseOverQuota,
	type StoredFile,
} from "../vocabulary/stored-file.ts";
import { type ContentFacts, safeFileName, writeContent } from "./content-facts.ts";
import {
	countedBytes,
	findStoredFile,
	insertFile,
	makeRoomForOutput,
	mayReadFile,
	removableBytes,
} from "./file-rows.ts";
import { storedFileErrorTexts } from "./texts.ts";

export interface FilesOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly secrets: { fingerprint(text: string): string };
	readonly roots: { readonly dataDir: string };
	/** Removes secrets from names, but not from contents. If absent, names stay unchanged. */
	readonly redactor?: { redact(text: string): string };
	readonly files?: Partial<FileLimits>;
}

export interface IncomingFile {
	readonly id: string;
	/** Name from the sender. Only a safe form is stored. */
	readonly name: string;
	readonly owner: string;
	/** Session that owns the file. Null for an uploaded file until a message contains it. */
	readonly sessionId: string | null;
	readonly content: AsyncIterable<Uint8Array>;
	/**
	 * Bytes by which the arriving file may exceed the quota. For a result, the bytes of older results that may be
	 * deleted. Infinity if an earlier request with the same key has stored the file. Default: 0.
	 */
	readonly spareBytes?: number;
}

interface UploadedFile {
	readonly name: string;
	readonly content: AsyncIterable<Uint8Array>;
	/** Idempotency key. A repeated request with the same key returns the same file. */
	readonly key?: string | undefined;
}

/** A stored file, and the id of its copy. */
export interface FileCopy {
	readonly from: string;
	readonly id: string;
	readonly bytes: number;
}

/** Inserts the row of the received file in a transaction. */
export type InsertFile = (tx: Tx) => Promise<StoredFile>;

/** Part of a file, from byte `start` to byte `end` inclusive. */
export interface ByteRange {
	readonly start: number;
	readonly end: number;
}

const partEnding = ".part";

/**
 * Stores files that clients upload and tools share, and complete results of tool calls. The table `files` has the
 * metadata. The directory `files` of the data directory contains the content of each file under the id of the file.
 * Content is streamed, except by `load`.
 */
export class Files {
	readonly limits: FileLimits;
	readonly #options: FilesOptions;
	readonly #directory: string;
	/** Bytes of files that are being received or copied, by id. */
	readonly #arriving = new Map<string, number>();

	constructor(options: FilesOptions) {
		this.#options = options;
		this.#directory = join(options.roots.dataDir, "files");
		this.limits = { ...defaultFileLimits, ...options.files };
	}

	/**
	 * Stores an uploaded file completely or not at all. If an earlier request had the same key, name and content, returns
	 * the file of that request. Throws:
	 * - `FileTooLargeError` if the file exceeds `maxBytes`
	 * - `resource_exhausted` if the quota or the disk is full
	 * - `invalid_argument` if the key was used for a different request
	 */
	async store(principal: Principal, { name: requested, key, content }: UploadedFile): Promise<StoredFile> {
		authorize(principal, "file.write");
		const id = this.#options.ids.create("file");
		const name = this.#options.redactor?.redact(requested) ?? requested;
		// If an earlier request with this key stored the file, this request needs no additional room.
		const repeated = await this.#options.store.read((db) => knowsKey(db, principal, key));
		const spareBytes = repeated ? Number.POSITIVE_INFINITY : 0;
		const incoming = { id, name, owner: principal.id, sessionId: null, content, spareBytes };
		return this.storeWith(incoming, async (insert, { sha256 }) => {
			const params = { name: safeFileName(name), sha256 };
			const request: Keyed = { principal, key, method: "POST /api/files", params };
			const { store, clock, secrets } = this.#options;
			const deps = { clock, fingerprint: (text: string) => secrets.fingerprint(text) };
			const outcome = await store.commit((tx) => once(tx, request, deps, () => insert(tx)));
			return outcome.response;
		});
	}

	/**
	 * Writes the content and then calls `commit`, which records the file with the given insert function. Deletes the
	 * content if `commit` throws or returns a file that was stored earlier.
	 */
	async storeWith(
		incoming: IncomingFile,
		commit: (insert: InsertFile, facts: ContentFacts) => Promise<StoredFile>,
	): Promise<StoredFile> {
		const { id, name, content, spareBytes = 0 } = incoming;
		const path = this.#path(id);
		this.#arriving.set(id, 0);
		try {
			const { all } = await this.#options.store.read(countedBytes);
			await mkdir(this.#directory, { recursive: true, mode: 0o700 });
			const admit = (bytes: number): void => this.#admit(id, bytes, all - spareBytes);
			const facts = await writeContent(`${path}${partEnding}`, content, { admit });
			await this.#place(path);
			const stored = await commit((tx) => this.#insert(tx, incoming, facts), facts);
			if (stored.id !== id) await rm(path, { force: true });
			return stored;
		} catch (reason) {
			for (const left of [path, `${path}${partEnding}`]) await rm(left, { force: true });
			throw fileError(storedFileErrorTexts.cannotStore(name), reason);
		} finally {
			this.#arriving.delete(id);
		}
	}

	/** Returns a file. Throws `not_found` if the file does not exist, or if the principal may not read the file. */
	async find(principal: Principal, id: string): Promise<StoredFile> {
		authorize(principal, "file.read");
		const now = this.#options.clock.now();
		const row = await this.#options.store.read((db) => findStoredFile(db, id, now));
		if (row && mayReadFile(principal, row)) return row;
		throw unknownFile(id);
	}

	/** Streams the content of a file or a part of it. Throws `not_found` if the content was deleted. */
	async read(id: string, range?: ByteRange): Promise<Readable> {
		try {
			const handle = await open(this.#path(id));
			return handle.createReadStream({ ...range });
		} catch (cause) {
			if (systemCode(cause) === "ENOENT") throw unknownFile(id);
			throw fileError(storedFileErrorTexts.cannotRead(id), cause);
		}
	}

	/**
	 * Reads the complete content of a file into memory, so use this method only for small files. Returns undefined if the
	 * content was deleted.
	 */
	async load(id: string): Promise<Buffer | undefined> {
		try {
			return await readFile(this.#path(id));
		} catch (cause) {
			if (systemCode(cause) === "ENOENT") return undefined;
			throw fileError(storedFileErrorTexts.cannotRead(id), cause);
		}
	}

	/** Returns the file with the id `id`, even if the file has expired. Returns undefined if no such file exists. */
	async known(id: string): Promise<StoredFile | undefined> {
		return this.#options.store.read((db) => findStoredFile(db, id, 0));
	}

	/**
	 * Stores the complete result of a tool call under `id`, until the session is deleted or a newer result needs the
	 * room. Replaces an earlier file with the same id. All stored results together use at most a quarter of the quota.
	 * When the result is complete, `makeRoomForOutput` deletes older results. Until then, the disk contains both. Throws
	 * `resource_exhausted` if there is not enough room.
	 */
	async storeOutput({
		id,
		owner,
		sessionId,
		content,
	}: Omit<IncomingFile, "name" | "spareBytes"> & { readonly sessionId: string }): Promise<StoredFile> {
		const { store } = this.#options;
		const { quotaBytes } = this.limits;
		await store.commit((tx) => tx.deleteFrom("files").where("id", "=", id).execute());
		await this.unlink([id]);
		let dropped: readonly string[] = [];
		const spareBytes = await store.read((db) => removableBytes(db, sessionId));
		const incoming = { id, name: `${id}.txt`, owner, sessionId, content, spareBytes };
		const stored = await this.storeWith(incoming, (insert, facts) =>
			store.commit(async (tx) => {
				const bytes = Math.max(leastCounted, facts.bytes);
				dropped = await makeRoomForOutput(tx, { sessionId, bytes, quotaBytes });
				return insert(tx);
			}),
		);
		await this.unlink(dropped);
		return stored;
	}

	/**
	 * Opens a stored result of the session. Throws `not_found` if the name is unknown, or if the result was deleted to
	 * make room.
	 */
	async openOutput(id: string, sessionId: string): Promise<FileHandle> {
		const row = await this.#options.store.read((db) => findStoredFile(db, id, 0));
		const unknown = new ParleyError(storedFileErrorTexts.noResult(id), { code: "not_found" });
		if (row?.sessionId !== sessionId) throw unknown;
		try {
			return await open(this.#path(id), constants.O_RDONLY | constants.O_NOFOLLOW);
		} catch (cause) {
			throw systemCode(cause) === "ENOENT" ? unknown : fileError(storedFileErrorTexts.unreadable(id), cause);
		}
	}

	/**
	 * Copies the contents of stored files to other ids, and then calls `commit`, which records the copies with
	 * `recordCopies`. Deletes the copies if a copy or `commit` fails. Skips a file if its content was deleted. Throws
	 * `resource_exhausted` before the first copy if the quota has no room for all copies.
	 */
	async copying<T>(copies: readonly FileCopy[], commit: () => Promise<T>): Promise<T> {
		const ids = copies.map(({ id }) => id);
		for (const { id, bytes } of copies) this.#arriving.set(id, Math.max(leastCounted, bytes));
		try {
			if (ids.length > 0) this.#requireRoom((await this.#options.store.read(countedBytes)).all);
			for (const { from, id } of copies) await copyContent(this.#path(from), this.#path(id));
			if (ids.length > 0) await this.#syncDirectory();
			return await commit();
		} catch (reason) {
			await this.unlink(ids);
			throw fileError(storedFileErrorTexts.notCopied, reason);
		} finally {
			for (const id of ids) this.#arriving.delete(id);
		}
	}

	/**
	 * Inserts the rows of copied files. The copies belong to the session. Skips a copy if the original file has no row.
	 * Throws `resource_exhausted` if the quota is full.
	 */
	async recordCopies(tx: Tx, sessionId: string, copies: readonly FileCopy[]): Promise<void> {
		let { all } = await countedBytes(tx);
		for (const { from, id } of copies) {
			const row = await tx.selectFrom("files").selectAll().where("id", "=", from).executeTakeFirst();
			if (!row) continue;
			all += Math.max(leastCounted, Number(row.bytes));
			refuseOverQuota(all, this.limits);
			// The stored row is counted from here on, so the arriving bytes must not be counted as well.
			this.#arriving.set(id, 0);
			const name = row.name === `${from}.txt` ? `${id}.txt` : row.name;
			const created_at = this.#options.clock.now();
			await insertFile(tx, { ...row, id, name, session_id: sessionId, created_at, ...stamp });
		}
	}

	/** Deletes the contents of the files with the given ids. A later sweep retries failed deletions. */
	async unlink(ids: readonly string[]): Promise<void> {
		for (const id of ids) {
			try {
				await rm(this.#path(id), { force: true });
			} catch (error) {
				this.#options.log.warn(storedFileErrorTexts.notRemoved, { file: id, error });
			}
		}
	}

	/** Deletes expired files, and content without a row, unless the content is still arriving. */
	async sweep(): Promise<void> {
		const { store, clock } = this.#options;
		await store.commit(async (tx) => {
			const idle = tx.deleteFrom("files").where("session_id", "is", null);
			await idle.where("expires_at", "<=", clock.now()).execute();
		});
		// The order matters. A file that arrives after the first read is not in `names`. A file that is recorded after the
		// second read is in `arriving`.
		const names = await readdir(this.#directory).catch(noneYet);
		const arriving = new Set(this.#arriving.keys());
		const rows = await store.read((db) => db.selectFrom("files").select("id").execute());
		const known = new Set(rows.map(({ id }) => id));
		const isLeft = (name: string): boolean => {
			const id = name.endsWith(partEnding) ? name.slice(0, -partEnding.length) : name;
			return !known.has(name) && !arriving.has(id);
		};
		await this.unlink(names.filter(isLeft));
	}

	#path(id: string): string {
		return join(this.#directory, id);
	}

	#admit(id: string, bytes: number, before: number): void {
		const soFar = (this.#arriving.get(id) ?? 0) + bytes;
		if (soFar > this.limits.maxBytes) throw new FileTooLargeError(this.limits.maxBytes);
		this.#arriving.set(id, soFar);
		this.#requireRoom(before);
	}

	#requireRoom(stored: number): void {
		const coming = [...this.#arriving.values()].reduce((sum, one) => sum + one, 0);
		refuseOverQuota(stored + coming, this.limits);
	}

	async #place(path: string): Promise<void> {
		await rename(`${path}${partEnding}`, path);
		await this.#syncDirectory();
	}

	async #syncDirectory(): Promise<void> {
		await using directory = await open(this.#directory);
		await directory.sync();
	}

	async #insert(
		tx: Tx,
		{ id, name, owner, sessionId }: IncomingFile,
		facts: ContentFacts,
	): Promise<StoredFile> {
		// The quota is checked again, because other files may have been recorded since `storeWith` began.
		refuseOverQuota((await countedBytes(tx)).all + Math.max(leastCounted, facts.bytes), this.limits);
		// The stored row is counted from here on, so the arriving bytes must not be counted as well.
		this.#arriving.set(id, 0);
		const created_at = this.#options.clock.now();
		const expires_at = created_at + this.limits.retentionMs;
		const { bytes, sha256, mediaType } = facts;
		return insertFile(tx, {
			id,
			owner,
			session_id: sessionId,
			name: safeFileName(name),
			media_type: mediaType,
			bytes,
			sha256,
			created_at,
			expires_at,
			...stamp,
		});
	}
}

/**
 * Copies a file, or does nothing if the content was deleted. Does not use a hard link, because backups do not
 * preserve links.
 */
async function copyContent(from: string, to: string): Promise<void> {
	try {
		await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
	} catch (reason) {
		if (systemCode(reason) !== "ENOENT") throw reason;
		return;
	}
	await using file = await open(to, "r+");
	await file.sync();
}

function noneYet(cause: unknown): string[] {
	if (systemCode(cause) === "ENOENT") return [];
	throw fileError(storedFileErrorTexts.notListed, cause);
}

function unknownFile(id: string): ParleyError {
	return new ParleyError(storedFileErrorTexts.notFound(id.slice(0, 200)), { code: "not_found" });
}
