import { join } from "node:path";
import { type Check, type Found, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

export const database: Check = {
	id: "database",
	async look(system) {
		try {
			if (await system.database()) return ok("whole, and of a version that this program knows");
			return await withoutDatabase(system);
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			const [what = message, fix = "parley restore puts a backup in its place"] =
				message.split(/: (?=move|upgrade)/);
			return fail(what, fix);
		}
	},
};

/** Keys and tokens without a database are a sign that it was lost. */
async function withoutDatabase({ data, stat }: System): Promise<Found> {
	for (const name of ["keys/secrets", "tokens/operator"]) {
		if (!(await stat(join(data, name)))) continue;
		return warn(
			`${data} holds ${name} but no database: the next start creates an empty one, without earlier sessions`,
			"parley restore FILE --force brings back a backup; ignore this if no gateway has started here",
		);
	}
	return ok("none yet");
}
