import { resolve } from "node:path";
import { parseFailpoints, systemClock } from "@parley/base";
import { type BackupFacts, restoreBackup, type UnpackLimits, verifyBackup } from "@parley/gateway/backup";
import type { Io } from "../io.ts";
import { formatBytes, plural } from "../text/amounts.ts";
import { visibleLine } from "../text/visible.ts";
import { printJson, printRows } from "../with-gateway.ts";
import { progressLine } from "./progress.ts";

interface Restoring {
	readonly file: string;
	readonly data: string;
	readonly force: boolean;
	readonly json: boolean;
	readonly limits: Partial<UnpackLimits>;
	readonly testHooks?: string;
}

/** Restores a backup and says where things are. */
export async function restoreFromFile(
	{ file, data, force, json, limits, testHooks }: Restoring,
	io: Io,
): Promise<void> {
	const progress = progressLine(io);
	const restored = await restoreBackup({
		...{ file: resolve(io.cwd, file), dataDirectory: data, force, clock: systemClock, limits },
		...(testHooks !== undefined && { failpoints: parseFailpoints(testHooks) }),
		onProgress: progress.show,
	}).finally(progress.end);
	const { aside = null } = restored;
	if (json) return printJson({ ...encode(restored), data, aside }, io);
	printRows(
		[
			visibleLine(`restored ${describe(restored)}`),
			visibleLine(`into ${data}; \`parley start\` goes on with it`),
			...(aside === null ? [] : [visibleLine(`what was there is in ${aside}`)]),
		],
		io,
	);
}

/** Says whether a backup could be restored. */
export async function verifyFile(
	{ file, json, limits }: Pick<Restoring, "file" | "json" | "limits">,
	io: Io,
): Promise<void> {
	const progress = progressLine(io);
	const facts = await verifyBackup(resolve(io.cwd, file), { limits, onProgress: progress.show }).finally(
		progress.end,
	);
	if (json) printJson(encode(facts), io);
	else printRows([visibleLine(`${file} can be restored: ${describe(facts)}`)], io);
}

function describe({ version, createdAt, files, bytes }: BackupFacts): string {
	return `${plural(files, "file")} (${formatBytes(bytes)}), saved by Parley ${version} at ${createdAt}`;
}

function encode({ version, createdAt: created_at, files, bytes }: BackupFacts): object {
	return { version, created_at, files, bytes };
}
