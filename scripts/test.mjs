import { check } from "./checks.mjs";
import { add, line, one } from "./counts.mjs";
import { install } from "./install.mjs";
import { vitest } from "./vitest.mjs";

/** All checks and all tests. Ends with one line of counts, alone. */
export async function run() {
	const counts = (await install()) ? add(await check(), await vitest({ limitMs: 6 * 60_000 })) : one(false);
	console.log(line(counts));
	return counts.failed === 0 ? 0 : 1;
}
