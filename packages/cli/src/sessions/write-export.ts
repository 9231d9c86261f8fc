import { open } from "node:fs/promises";
import { ParleyError } from "@parley/base";

/** Writes a file that only its owner may read; throws `already_exists` where there is one, unless it may be replaced. */
export async function writeExport(path: string, text: string, replaces: boolean): Promise<void> {
	try {
		await using file = await open(path, replaces ? "w" : "wx", 0o600);
		await file.chmod(0o600);
		await file.writeFile(text);
	} catch (cause) {
		const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
		if (code === "EEXIST") {
			throw new ParleyError(`${path} is there already; --force replaces it`, {
				code: "already_exists",
				cause,
			});
		}
		const why = cause instanceof Error ? cause.message : String(cause);
		throw new ParleyError(`cannot write ${path}: ${why}`, { code: "invalid_argument", cause });
	}
}
