import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { errno } from "./errno.ts";
import { replacePrivateFile } from "./private-file.ts";

const schema = z.object({
	pid: z.int().positive(),
	/** One address for each listener, in the order of the configuration. */
	urls: z.array(z.url()).min(1),
	/**
	 * Address for programs on this machine. Files of earlier versions have no such address. In this case, readers use
	 * the first of `urls`.
	 */
	local: z.exactOptional(z.url()),
	/** Certificate of this gateway in PEM form, if `local` is an https address. */
	certificate: z.exactOptional(z.string()),
	startedAt: z.iso.datetime(),
	version: z.string(),
	/** Provider of the models. Absent in files of earlier versions. */
	provider: z.exactOptional(z.string()),
	model: z.exactOptional(z.string()),
});

/** Facts about a running gateway, for commands that use the gateway's data directory. */
export type RuntimeFile = Readonly<z.infer<typeof schema>>;

export async function writeRuntimeFile(dataDirectory: string, content: RuntimeFile): Promise<void> {
	await replacePrivateFile(pathIn(dataDirectory), `${JSON.stringify(content)}\n`);
}

export async function removeRuntimeFile(dataDirectory: string): Promise<void> {
	await rm(pathIn(dataDirectory), { force: true });
}

/**
 * Reads the runtime file of a data directory. Returns undefined if the file is missing or invalid. A killed gateway
 * leaves its file, so check whether the address responds.
 */
export async function readRuntimeFile(dataDirectory: string): Promise<RuntimeFile | undefined> {
	try {
		const text = await readFile(pathIn(dataDirectory), "utf8");
		return schema.safeParse(parseJson(text)).data;
	} catch (error) {
		if (error instanceof ParleyError || errno(error) === "ENOENT" || errno(error) === "ENOTDIR")
			return undefined;
		throw error;
	}
}

function pathIn(dataDirectory: string): string {
	return join(dataDirectory, "run", "gateway.json");
}
