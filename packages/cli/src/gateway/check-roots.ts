import { realpath } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { rootTexts } from "../texts/gateway/start.ts";

/**
 * Checks whether the gateway's tools could use every file of the machine. Returns a warning if the operator chose `/`
 * as a root. Rejects if no root was chosen and the current directory is `/`, because a service manager or a container
 * often starts programs in `/`.
 */
export async function checkRoots(
	chosen: readonly string[],
	currentDirectory: string,
): Promise<string | undefined> {
	if (chosen.length === 0 && currentDirectory === "/") {
		throw new ParleyError(rootTexts.currentDirectoryIsRoot, { code: "invalid_argument" });
	}
	const real = await Promise.all(chosen.map((root) => realpath(root).catch(() => root)));
	return real.includes("/") ? rootTexts.rootIsRoot : undefined;
}
