import { type Check, fail, ok } from "../finding.ts";

export const database: Check = {
	id: "database",
	async look({ database: read }) {
		try {
			return ok((await read()) ? "whole, and of a version that this program knows" : "none yet");
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			const [what = message, fix = "parley restore puts a backup in its place"] =
				message.split(/: (?=move|upgrade)/);
			return fail(what, fix);
		}
	},
};
