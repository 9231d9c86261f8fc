import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@parley/base";
import type { Tables } from "../journal/tables.ts";
import { systemCode } from "../tools/file-error.ts";
import type { Session } from "./session.ts";

/** What a workspace may hold where nobody says otherwise. */
export const usualQuota = 1024 * 1024 * 1024;

const youngMs = 60 * 60 * 1000;

/** What the smallest file takes of a disk. */
const blockBytes = 4096;

/** Where sessions of chat platforms work: each in a directory of its own below the data directory. */
export class Workspaces {
	readonly #directory: string;

	/** `dataDir` is a real path. */
	constructor(dataDir: string) {
		this.#directory = join(dataDir, "workspaces");
	}

	/** The session's own directory; undefined where it works elsewhere. */
	of({ id, rootDir }: Pick<Session, "id" | "rootDir">): string | undefined {
		const own = join(this.#directory, id);
		return rootDir === own ? own : undefined;
	}

	/** Makes the directory of a new session and returns its path. */
	async create(sessionId: string): Promise<string> {
		const path = join(this.#directory, sessionId);
		await mkdir(this.#directory, { recursive: true, mode: 0o700 });
		await mkdir(path, { mode: 0o700 });
		return path;
	}

	/** Makes it again where it is gone: a backup holds none. */
	async prepare(session: Pick<Session, "id" | "rootDir">): Promise<void> {
		const own = this.of(session);
		if (own !== undefined) await mkdir(own, { recursive: true, mode: 0o700 });
	}

	/** Removes those whose session is gone: a stop of the gateway came between. A young one may be of a session to be. */
	async sweep(store: Store<Tables>, now: number): Promise<void> {
		const names = await readdir(this.#directory).catch(noneYet);
		for (const name of names) {
			const { mtimeMs } = await lstat(join(this.#directory, name));
			if (now - mtimeMs < youngMs) continue;
			const known = await store.read((db) =>
				db.selectFrom("sessions").select("id").where("id", "=", name).executeTakeFirst(),
			);
			if (!known) await this.remove(name);
		}
	}

	/** Removes it with all that is in it; links are not followed. */
	async remove(sessionId: string): Promise<void> {
		await rm(join(this.#directory, sessionId), { recursive: true, force: true });
	}
}

function noneYet(reason: unknown): string[] {
	if (systemCode(reason) === "ENOENT") return [];
	throw reason;
}

/** Whether what lies below a directory takes `quota` bytes or more, small files counted as a block. */
export async function isFull(directory: string, quota: number): Promise<boolean> {
	let left = quota;
	const open = [directory];
	for (let at = open.pop(); at !== undefined; at = open.pop()) {
		for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
			const path = join(at, entry.name);
			// What goes away meanwhile takes no room.
			const size = entry.isFile()
				? await lstat(path).then(
						({ size }) => size,
						() => 0,
					)
				: 0;
			left -= Math.max(size, blockBytes);
			if (left <= 0) return true;
			if (entry.isDirectory()) open.push(path);
		}
	}
	return false;
}
