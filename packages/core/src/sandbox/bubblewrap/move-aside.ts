import { chmod, open, readlink, rename } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { ParleyError } from "@parley/base";
import { systemCode } from "../../filesystem/file-error.ts";

/** Opens a directory also without the right to read it. https://man7.org/linux/man-pages/man2/open.2.html */
const O_PATH = 0o10000000;

/**
 * Renames a file, link or directory in its own directory, even if a command took away the right to write there. `path` is
 * real except for its last part, and no command can guess `name`. Throws `failed_precondition` if that fails.
 */
export async function moveAside(path: string, name: string): Promise<void> {
	try {
		await move(path, name);
	} catch (cause) {
		// Another process removed it.
		if (systemCode(cause) === "ENOENT") return;
		throw new ParleyError(
			`${JSON.stringify(path)} came up during a command, decides what runs later and cannot be moved aside ` +
				`(${systemCode(cause)}): look at it, and remove it`,
			{ code: "failed_precondition", cause },
		);
	}
}

/** Works through the open directory, because another command can put a link at its path. */
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
