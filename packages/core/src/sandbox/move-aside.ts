import { chmod, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { ParleyError } from "@parley/base";
import { systemCode } from "../tools/file-error.ts";

/**
 * Gives a file, a link or a directory another name beside its own, also where the command has shut the directory that
 * it is in. Throws `failed_precondition` where that cannot be done.
 */
export async function moveAside(path: string, mark: string): Promise<void> {
	const move = (): Promise<void> => rename(path, `${path}.held-back-${mark}`);
	try {
		await move().catch(async (reason: unknown) => {
			if (!["EACCES", "EPERM"].includes(systemCode(reason))) throw reason;
			await chmod(dirname(path), 0o700);
			await move();
		});
	} catch (cause) {
		throw new ParleyError(
			`${JSON.stringify(path)} came up during a command, decides what runs later and cannot be moved aside ` +
				`(${systemCode(cause)}): look at it, and remove it`,
			{ code: "failed_precondition", cause },
		);
	}
}
