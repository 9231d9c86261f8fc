import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type Clock, type Ids, type Logger, ParleyError, type Store } from "@parley/base";
import { authorize } from "../authorize.ts";
import type { Tx } from "../journal/journal.ts";
import { stamp, type Tables } from "../journal/tables.ts";
import type { Principal } from "../principal.ts";
import type { SecretBox } from "../secrets.ts";
import { type Keyed, knowsKey, once } from "../session/idempotency.ts";
import type { Roots } from "../session/open.ts";
import type { TextRedactor } from "../session/session-redactor.ts";
import { fileError, systemCode } from "../tools/file-error.ts";
import type { ContentFacts } from "./content-facts.ts";
import type { KeptFile } from "./file-facts.ts";
import {
	defaultFileLimits,
	type FileLimits,
	FileTooLargeError,
	leastCounted,
	refuseOverQuota,
} from "./file-limits.ts";
import { safeFileName } from "./file-name.ts";
import { countedBytesOfAll, dropOldestOutputs, findFile, insertFile, visibleTo } from "./file-rows.ts";
import { writeContent } from "./write-content.ts";

export interface FilesOptions {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly secrets: Pick<SecretBox, "fingerprint">;
	readonly roots: Pick<Roots, "dataDir">;
	/** Takes secrets out of names; unless told nobody does. Contents are kept as they are. */
	readonly redactor?: Pick<TextRedactor, "redact">;
	/** Those that differ from the usual ones. */
	readonly files?: Partial<FileLimits>;
}

/** A file on its way in. */
export interface Arrival {
	readonly id: string;
	/** As somebody calls it; kept under a safe form of it. */
	readonly name: string;
	readonly owner: string;
	/** The session that it belongs to; null until a message carries it. */
	readonly sessionId: string | null;
	readonly content: AsyncIterable<Uint8Array>;
	/** It has come before: then it needs no room, even where there is none. */
	readonly repeated?: boolean;
}

/** Writes the row of what has arrived; part of a transaction. */
export type InsertFile = (tx: Tx) => Promise<KeptFile>;

/** A part of a content: both ends belong to it. */
export interface ByteRange {
	readonly start: number;
	readonly end: number;
}

const partEnding = ".part";

/**
 * Files that people and tools hand over: what is known of them is in the journal's tables, what they hold lies in the
 * data directory under their ids. Contents pass through piece by piece and are never held whole.
 */
export class Files {
	readonly limits: FileLimits;
	readonly #options: FilesOptions;
	readonly #directory: string;
	/** Bytes that have come so far of what is on its way in, by id. */
	readonly #arriving = new Map<string, number>();

	constructor(options: FilesOptions) {
		this.#options = options;
		this.#directory = join(options.roots.dataDir, "files");
		this.limits = { ...defaultFileLimits, ...options.files };
	}

	/**
	 * Keeps what somebody brings, whole or not at all. Under the key of an earlier request with the same name and content
	 * it is that one's file. Throws `FileTooLargeError`, and `resource_exhausted` where the quota or the disk is full.
	 */
	async keep(
		principal: Principal,
		{ name: wanted, key, content }: Pick<Arrival, "name" | "content"> & { readonly key?: string | undefined },
	): Promise<KeptFile> {
		authorize(principal, "file.write");
		const id = this.#options.ids.create("file");
		const name = this.#options.redactor?.redact(wanted) ?? wanted;
		const repeated = await this.#options.store.read((db) => knowsKey(db, principal, key));
		const arrival = { id, name, owner: principal.id, sessionId: null, content, repeated };
		return this.bring(arrival, async (insert, { sha256 }) => {
			const params = { name: safeFileName(name), sha256 };
			const request: Keyed = { principal, key, method: "POST /api/files", params };
			const { store, clock, secrets } = this.#options;
			const deps = { clock, fingerprint: (text: string) => secrets.fingerprint(text) };
			const outcome = await store.commit((tx) => once(tx, request, deps, () => insert(tx)));
			return outcome.response;
		});
	}

	/**
	 * Writes a content, then has `commit` record it with the insert that it is given. Where that returns another file,
	 * or throws, nothing of this one is left.
	 */
	async bring(
		arrival: Arrival,
		commit: (insert: InsertFile, facts: ContentFacts) => Promise<KeptFile>,
	): Promise<KeptFile> {
		const { id, content, repeated = false } = arrival;
		const path = this.#path(id);
		this.#arriving.set(id, 0);
		try {
			const before = repeated ? Number.NEGATIVE_INFINITY : await this.#options.store.read(countedBytesOfAll);
			await mkdir(this.#directory, { recursive: true, mode: 0o700 });
			const admit = (bytes: number): void => this.#admit(id, bytes, before);
			const facts = await writeContent(`${path}${partEnding}`, content, { admit });
			await this.#place(path);
			const kept = await commit((tx) => this.#insert(tx, arrival, facts), facts);
			if (kept.id !== id) await rm(path, { force: true });
			return kept;
		} catch (reason) {
			for (const left of [path, `${path}${partEnding}`]) await rm(left, { force: true });
			throw fileError("the file cannot be kept", reason);
		} finally {
			this.#arriving.delete(id);
		}
	}

	/** A file that the principal may read; throws `not_found` where there is none, or none for them. */
	async find(principal: Principal, id: string): Promise<KeptFile> {
		authorize(principal, "file.read");
		const now = this.#options.clock.now();
		const row = await this.#options.store.read((db) => findFile(db, id, now));
		if (row && visibleTo(principal, row)) return row;
		throw unknownFile(id);
	}

	/** What a file holds, or a part of it, as fast as it is taken. Throws `not_found` where the content is gone. */
	async read(id: string, range?: ByteRange): Promise<Readable> {
		try {
			const handle = await open(this.#path(id));
			return handle.createReadStream({ ...range });
		} catch (cause) {
			if (systemCode(cause) === "ENOENT") throw unknownFile(id);
			throw fileError(`the file ${id} cannot be read`, cause);
		}
	}

	/** All that a file of a few mebibytes holds; undefined where it is gone. */
	async load(id: string): Promise<Buffer | undefined> {
		try {
			return await readFile(this.#path(id));
		} catch (cause) {
			if (systemCode(cause) === "ENOENT") return undefined;
			throw fileError(`the file ${id} cannot be read`, cause);
		}
	}

	/** A file that a tool has handed over already. */
	async known(id: string): Promise<KeptFile | undefined> {
		return this.#options.store.read((db) => findFile(db, id, 0));
	}

	/**
	 * Keeps the complete result of a call for the life of its session, under `outputName`; replaces what is there under that
	 * name. Together such results take a quarter of the quota at most: the oldest ones make room. Throws as `bring`.
	 */
	async keepOutput({ id, owner, sessionId, content }: Omit<Arrival, "name" | "repeated">): Promise<KeptFile> {
		const { store } = this.#options;
		await store.commit((tx) => tx.deleteFrom("files").where("id", "=", id).execute());
		await this.unlink([id]);
		let dropped: readonly string[] = [];
		const arrival = { id, name: `${id}.txt`, owner, sessionId, content };
		const kept = await this.bring(arrival, (insert, { bytes }) =>
			store.commit(async (tx) => {
				dropped = await dropOldestOutputs(tx, Math.max(leastCounted, bytes), this.limits.quotaBytes);
				return insert(tx);
			}),
		);
		await this.unlink(dropped);
		return kept;
	}

	/** Opens a kept result of the session. Throws `not_found` if there is none of that name, or it had to make room. */
	async openOutput(id: string, sessionId: string): Promise<FileHandle> {
		const row = await this.#options.store.read((db) => findFile(db, id, 0));
		const unknown = new ParleyError(
			`no result is kept as ${JSON.stringify(id)}: use the name in the marker of a result of this conversation, or run the ` +
				"call again if the result had to make room for newer ones",
			{ code: "not_found" },
		);
		if (row?.sessionId !== sessionId) throw unknown;
		try {
			return await open(this.#path(id), constants.O_RDONLY | constants.O_NOFOLLOW);
		} catch (cause) {
			throw systemCode(cause) === "ENOENT" ? unknown : fileError(`cannot read ${id}`, cause);
		}
	}

	/** Removes what files held whose rows are gone. What cannot be removed now is so by a later sweep. */
	async unlink(ids: readonly string[]): Promise<void> {
		for (const id of ids) {
			try {
				await rm(this.#path(id), { force: true });
			} catch (error) {
				this.#options.log.warn("a file cannot be removed", { file: id, error });
			}
		}
	}

	/** Forgets files that had their time, and removes every content that no row knows. */
	async sweep(): Promise<void> {
		const { store, clock } = this.#options;
		await store.commit(async (tx) => {
			const idle = tx.deleteFrom("files").where("session_id", "is", null);
			await idle.where("expires_at", "<=", clock.now()).execute();
		});
		// In this order: what arrives after the first is not in the list, and what is recorded after the second was on its way.
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
		const coming = [...this.#arriving.values()].reduce((sum, one) => sum + one, 0);
		refuseOverQuota(before + coming, this.limits);
	}

	async #place(path: string): Promise<void> {
		await rename(`${path}${partEnding}`, path);
		await using directory = await open(this.#directory);
		await directory.sync();
	}

	/** Others may have come since the first look: what counts is the quota in the order of the commits. */
	async #insert(tx: Tx, { id, name, owner, sessionId }: Arrival, facts: ContentFacts): Promise<KeptFile> {
		refuseOverQuota((await countedBytesOfAll(tx)) + Math.max(leastCounted, facts.bytes), this.limits);
		// From here on its row counts; counted twice it would keep others out.
		this.#arriving.set(id, 0);
		const created_at = this.#options.clock.now();
		const expires_at = created_at + this.limits.keepMs;
		const { bytes, sha256, mediaType } = facts;
		return insertFile(tx, {
			...{ id, owner, session_id: sessionId, name: safeFileName(name), media_type: mediaType },
			...{ bytes, sha256, created_at, expires_at, ...stamp },
		});
	}
}

function noneYet(cause: unknown): string[] {
	if (systemCode(cause) === "ENOENT") return [];
	throw fileError("the kept files cannot be listed", cause);
}

function unknownFile(id: string): ParleyError {
	return new ParleyError(`file not found: ${id.slice(0, 200)}`, { code: "not_found" });
}
