import { type Check, fail, ok } from "../finding.ts";

/** Whether somebody has changed the record of what was decided. */
export const audit: Check = {
	id: "audit",
	async look({ database, audit: check }) {
		// What is wrong with it as a database is told elsewhere.
		if (!(await database().catch(() => false))) return ok("nothing was recorded yet");
		const { records, broken } = await check();
		if (!broken) return ok(`${records} rows, each bound to the one before it`);
		return fail(
			`row ${broken.seq}: ${broken.reason}`,
			"compare it with a backup: parley audit --verify says how far the record holds",
		);
	},
};
