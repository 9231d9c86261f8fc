import { setClock } from "../distribution.ts";
import { type Check, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Certificates and tokens of others begin to fail at some minutes; below seconds nobody can tell by a header. */
const [farMs, nearMs] = [5 * 60_000, 30_000];
/** A file system that counts in whole seconds or two. */
const fileMs = 3_000;

/** Compares the clock with that of the models' server, and with that of the file system. */
export const clock: Check = {
	id: "clock",
	async look(system) {
		const { provider, distribution } = system;
		const file = await differenceToFile(system);
		if (Math.abs(file) > fileMs) {
			return warn(
				`the file system of the data directory is ${inSeconds(file)}`,
				"use a directory on a disk of this machine, or set the clock of the file server",
			);
		}
		const answer = await provider();
		if (!answer?.reached || answer.serverTime === undefined) return ok("it agrees with the file system's");
		const { serverTime, ownTime, tookMs } = answer;
		const apart = ownTime - serverTime;
		// Headers hold whole seconds, and the answer was on its way for a while.
		const surely = Math.max(0, Math.abs(apart) - tookMs - 1_000);
		const what = `the clock is ${inSeconds(apart)}, compared with ${new URL(answer.url).host}`;
		if (surely > farMs) return fail(what, setClock(distribution));
		if (surely > nearMs) return warn(what, setClock(distribution));
		return ok(`it agrees with that of ${new URL(answer.url).host}`);
	},
};

/** Where nothing can be written another check says so. */
async function differenceToFile({ data, stat, writeProbe, now }: System): Promise<number> {
	if (!(await stat(data))) return 0;
	const before = now();
	const written = await writeProbe(data).catch(() => before);
	return written - Math.min(Math.max(written, before), now());
}

function inSeconds(apartMs: number): string {
	const seconds = Math.round(Math.abs(apartMs) / 1000);
	return `${seconds} s ${apartMs < 0 ? "behind" : "ahead"}`;
}
