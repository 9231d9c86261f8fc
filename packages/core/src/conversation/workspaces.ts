import type { Dirent } from "node:fs";
import { chmod, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ParleyError, type Store } from "@parley/base";
import { isNotFound, systemCode } from "../filesystem/file-error.ts";
import type { Tx } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import type { Session } from "./session.ts";
import { workspaceTexts } from "./texts.ts";

/** Default quota of a workspace in bytes. */
export const usualQuota = 1024 * 1024 * 1024;

const minAgeMs = 60 * 60 * 1000;

/** Assumed disk usage of the smallest file, in bytes. */
const blockBytes = 4096;

/** Maximum scanned entries. Scanning more entries would take seconds before and after each command. */
const maxEntries = 100_000;

const atOnce = 64;

/** Manages the working directories of chat sessions, below the data directory. */
export class Workspaces {
	readonly #directory: string;
	/** Workspaces that could not be removed, each reported only once. */
	readonly #stuck = new Set<string>();

	/**
	 * Manages workspaces in `dataDir`, which must be a real path: the working directories of sessions are compared with
	 * paths below it.
	 */
	constructor(dataDir: string) {
		this.#directory = join(dataDir, "workspaces");
	}

	/**
	 * Returns the path of the workspace that a session shares with its forks. Undefined if the working directory of the
	 * session is not a workspace.
	 */
	of({ rootDir }: Session): string | undefined {
		return dirname(rootDir) === this.#directory ? rootDir : undefined;
	}

	/**
	 * Returns the name of a deleted session's workspace. Returns undefined if the session has no workspace, or if another
	 * session uses the workspace. `tx` is the transaction of the deletion.
	 */
	async unused(tx: Tx, session: Session): Promise<string | undefined> {
		const path = this.of(session);
		return path === undefined || (await isUsed(tx, path)) ? undefined : basename(path);
	}

	/** Creates the directory of a new session and returns its path. */
	async create(sessionId: string): Promise<string> {
		const path = join(this.#directory, sessionId);
		await mkdir(this.#directory, { recursive: true, mode: 0o700 });
		await mkdir(path, { mode: 0o700 });
		return path;
	}

	/** Creates the workspace directory if it is missing. Backups do not contain the directory. */
	async prepare(session: Session): Promise<void> {
		const own = this.of(session);
		if (own !== undefined) await mkdir(own, { recursive: true, mode: 0o700 });
	}

	/**
	 * Removes directories that remain from deleted sessions, for example because the gateway stopped during a deletion.
	 * Keeps recent directories, because a recent directory may belong to a new session. Continues after a failure.
	 * Rejects at the end if a directory that was not reported earlier could not be removed. The cause contains an error
	 * for each such directory.
	 */
	async sweep(store: Store<Tables>, now: number): Promise<void> {
		const failures: unknown[] = [];
		for (const name of await readdir(this.#directory).catch(noneIfMissing)) {
			try {
				const { mtimeMs } = await lstat(join(this.#directory, name));
				const path = join(this.#directory, name);
				if (now - mtimeMs < minAgeMs || (await store.read((db) => isUsed(db, path)))) continue;
				await this.remove(name);
			} catch (reason) {
				if (!this.#stuck.has(name)) failures.push(reason);
				this.#stuck.add(name);
			}
		}
		if (failures.length === 0) return;
		throw new ParleyError(workspaceTexts.notRemoved(failures.length, this.#directory), {
			code: "internal",
			cause: new AggregateError(failures, workspaceTexts.ownReasons),
		});
	}

	/** Removes the workspace with all content, including unreadable files. Does not follow links. */
	async remove(name: string): Promise<void> {
		const path = join(this.#directory, name);
		try {
			await rm(path, { recursive: true, force: true });
		} catch (reason) {
			if (systemCode(reason) !== "EACCES") throw reason;
			await makeAccessible(path);
			await rm(path, { recursive: true, force: true });
		}
	}
}

/**
 * Gives the owner access to the directory and its subdirectories. No running process can insert a link into these
 * directories.
 */
async function makeAccessible(directory: string): Promise<void> {
	await chmod(directory, 0o700);
	for (const entry of await readdir(directory, { withFileTypes: true })) {
		if (entry.isDirectory()) await makeAccessible(join(directory, entry.name));
	}
}

/** Whether the session for which the workspace was created, or a fork of that session, still exists. */
async function isUsed(db: Tx, path: string): Promise<boolean> {
	const sessions = db.selectFrom("sessions").select("id").limit(1);
	if (await sessions.where("id", "=", basename(path)).executeTakeFirst()) return true;
	return (await sessions.where("root_dir", "=", path).executeTakeFirst()) !== undefined;
}

function noneIfMissing(reason: unknown): string[] {
	if (systemCode(reason) === "ENOENT") return [];
	throw reason;
}

/**
 * Returns the number of bytes that still fit into a directory with the quota `quota`. A small file or an entry that is
 * not a file is counted as one block. Returns 0 if the directory is full, has more than 100,000 entries, or cannot be
 * read completely.
 */
export async function roomIn(directory: string, quota: number): Promise<number> {
	let left = quota;
	let seen = 0;
	const open = [directory];
	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		const entries = await readdir(at, { withFileTypes: true }).catch(unknownUnlessMissing);
		if (entries === "unknown") return 0;
		seen += entries?.length ?? 0;
		if (seen > maxEntries) return 0;
		for (let first = 0; entries && first < entries.length; first += atOnce) {
			const some = entries.slice(first, first + atOnce);
			for (const room of await Promise.all(some.map((entry) => roomOf(entry, at)))) left -= room;
			if (left <= 0) return 0;
			open.push(...some.filter((entry) => entry.isDirectory()).map(({ name }) => join(at, name)));
		}
	}
	return left;
}

async function roomOf(entry: Dirent, directory: string): Promise<number> {
	if (!entry.isFile()) return blockBytes;
	const stats = await lstat(join(directory, entry.name)).catch(unknownUnlessMissing);
	return stats === "unknown" ? Number.POSITIVE_INFINITY : Math.max(stats?.size ?? 0, blockBytes);
}

function unknownUnlessMissing(reason: unknown): "unknown" | undefined {
	// A missing file uses no space.
	return isNotFound(reason) ? undefined : "unknown";
}
