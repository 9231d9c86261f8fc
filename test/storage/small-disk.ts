import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small file system in memory (tmpfs). */
export class SmallDisk implements Disposable {
	readonly path: string;
	readonly #filler: string;

	private constructor(path: string) {
		this.path = path;
		this.#filler = join(path, "filler");
	}

	/** Mounts the file system. Returns undefined if the mount fails, for example without the permission to mount. */
	static mount(megabytes: number): SmallDisk | undefined {
		const path = mkdtempSync(join(tmpdir(), "parley-small-disk-"));
		try {
			const options = ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", path];
			execFileSync("mount", options, { stdio: "ignore" });
			return new SmallDisk(path);
		} catch {
			rmdirSync(path);
			return undefined;
		}
	}

	fill(): void {
		const file = openSync(this.#filler, "a", 0o600);
		try {
			for (let size = 64 * 1024; size >= 1; size = size === 64 * 1024 ? 512 : size >> 1) writeAll(file, size);
		} finally {
			closeSync(file);
		}
	}

	free(): void {
		rmSync(this.#filler, { force: true });
	}

	[Symbol.dispose](): void {
		execFileSync("umount", ["--lazy", this.path], { stdio: "ignore" });
		rmdirSync(this.path);
	}
}

function writeAll(file: number, size: number): void {
	const bytes = Buffer.alloc(size, "x");
	try {
		for (;;) writeSync(file, bytes);
	} catch (error) {
		if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
	}
}
