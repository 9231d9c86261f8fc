import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { errno } from "./errno.ts";
import { replacePrivateFile } from "./private-file.ts";

const schema = z.object({
	pid: z.int().positive(),
	/** One per listener, in the order of the configuration. */
	urls: z.array(z.url()).min(1),
	/** Where programs of this machine reach it best; the first of `urls` where an earlier version wrote the file. */
	local: z.exactOptional(z.url()),
	/** The certificate that proves it is this gateway where `local` speaks https, in PEM form. */
	certificate: z.exactOptional(z.string()),
	/** ISO 8601. */
	startedAt: z.iso.datetime(),
	version: z.string(),
	/** Who answers; absent in files that an earlier version wrote. */
	provider: z.exactOptional(z.string()),
	model: z.exactOptional(z.string()),
});

/** What a running gateway says about itself to commands that share its data directory. */
export type RuntimeFile = Readonly<z.infer<typeof schema>>;

/** Tells others where the gateway listens. */
export async function writeRuntimeFile(dataDirectory: string, content: RuntimeFile): Promise<void> {
	await replacePrivateFile(pathIn(dataDirectory), `${JSON.stringify(content)}\n`);
}

/** Takes that back. Nothing happens when there is no file. */
export async function removeRuntimeFile(dataDirectory: string): Promise<void> {
	await rm(pathIn(dataDirectory), { force: true });
}

/**
 * What the last gateway wrote; undefined where there is nothing, or nothing that can be understood. A gateway that was
 * killed leaves its file behind, so whoever reads it must see whether something answers there.
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
