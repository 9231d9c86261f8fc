import { check } from "./checks.mjs";
import { install } from "./install.mjs";

/** Runs lint, types, dead code and plain English. */
export async function run() {
	if (!(await install())) return 1;
	const { failed } = await check();
	return failed === 0 ? 0 : 1;
}
