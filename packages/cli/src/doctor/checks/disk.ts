import { dirname } from "node:path";
import { makeRoom } from "../distribution.ts";
import { type Check, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

const mebibyte = 1024 * 1024;
/** Below the first nothing can be promised, below the second it is time to look. */
const [leastBytes, fewBytes] = [64 * mebibyte, 1024 * mebibyte];

/** Whether the data directory can be written, and for how long still. */
export const disk: Check = {
	id: "disk",
	async look(system) {
		const { freeBytes, writeProbe, distribution } = system;
		const directory = await nearest(system);
		const free = await freeBytes(directory);
		const left = `${Math.floor(free / mebibyte)} MiB are free for ${directory}`;
		if (free < leastBytes) return fail(left, makeRoom(distribution));
		try {
			await writeProbe(directory);
		} catch (reason) {
			const why = reason instanceof Error ? reason.message : String(reason);
			return fail(`${directory} cannot be written: ${why}`, "choose another directory with --data DIR");
		}
		return free < fewBytes ? warn(left, makeRoom(distribution)) : ok(left);
	},
};

/** Before the first start: the directory that it will be made in. */
async function nearest({ data, stat }: System): Promise<string> {
	for (let path = data; ; path = dirname(path)) {
		if ((await stat(path)) || path === dirname(path)) return path;
	}
}
