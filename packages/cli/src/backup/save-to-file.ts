import { resolve } from "node:path";
import { systemClock } from "@parley/base";
import { createBackup } from "@parley/gateway/backup";
import type { Io } from "../io.ts";
import { formatBytes, plural } from "../text/amounts.ts";
import { visibleLine } from "../text/visible.ts";
import { printJson, printRows } from "../with-gateway.ts";
import { progressLine } from "./progress.ts";

interface Saving {
	readonly file: string;
	readonly data: string;
	readonly version: string;
	readonly force: boolean;
	readonly json: boolean;
}

/** Saves a data directory and says what is in the file. */
export async function saveToFile({ file, data, version, force, json }: Saving, io: Io): Promise<void> {
	const progress = progressLine(io);
	const saved = await createBackup({
		...{ dataDirectory: data, file: resolve(io.cwd, file), version, force },
		...{ clock: systemClock, onProgress: progress.show },
	}).finally(progress.end);
	const { missing, ...facts } = saved;
	if (json) return printJson({ ...facts, data, missing_files: missing }, io);
	printRows(
		[
			visibleLine(`saved ${plural(saved.sessions, "conversation")} of ${data}`),
			visibleLine(`in ${saved.file} (${formatBytes(saved.bytes)}, ${plural(saved.files, "file")})`),
			...(missing.length > 0
				? [`${missing.length} kept files were deleted meanwhile, and are not in it`]
				: []),
			"It holds keys and tokens: keep it where only you can read it.",
		],
		io,
	);
}
