import { chmod, open, readlink, rename } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ParleyError } from "@parley/base";
import { systemCode } from "../tools/file-error.ts";

/** Opens what may not be read, too. https://man7.org/linux/man-pages/man2/open.2.html */
const O_PATH = 0o10000000;

/**
 * Gives a file, a link or a directory another name beside its own, also where the command has shut the directory that
 * it is in. `path` is real but for its last part, and `name` such that nobody could guess it. Throws
 * `failed_precondition` where that cannot be done.
 */
export async function moveAside(path: string, name: string): Promise<void> {
	try {
		await move(path, name);
	} catch (cause) {
		// Somebody else has taken it away.
		if (systemCode(cause) === "ENOENT") return;
		throw new ParleyError(
			`${JSON.stringify(path)} came up during a command, decides what runs later and cannot be moved aside ` +
				`(${systemCode(cause)}): look at it, and remove it`,
			{ code: "failed_precondition", cause },
		);
	}
}

/** By the directory itself: another command that still runs may put a link in the place of its path. */
async function move(path: string, name: string): Promise<void> {
	await using directory = await open(dirname(path), O_PATH);
	const held = `/proc/self/fd/${directory.fd}`;
	if ((await readlink(held)) !== dirname(path)) {
		throw Object.assign(new Error("another directory took its place"), { code: "ESTALE" });
	}
	const from = `${held}/${basename(path)}`;
	const again = async (reason: unknown): Promise<void> => {
		if (!["EACCES", "EPERM"].includes(systemCode(reason))) throw reason;
		await chmod(held, 0o700);
		await rename(from, `${from}.held-back-${name}`);
	};
	await rename(from, `${from}.held-back-${name}`).catch(again);
}
