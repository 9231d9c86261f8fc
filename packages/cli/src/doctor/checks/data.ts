import { type Check, fail, ok, warn } from "../finding.ts";

/** Whether there is a data directory at all: of one that was mistyped nothing else would tell. */
export const data: Check = {
	id: "data",
	async look({ data: directory, stat }) {
		const facts = await stat(directory);
		if (facts?.isDirectory) return ok(directory);
		if (facts) return fail(`${directory} is no directory`, "name another one with --data DIR");
		const what = `${directory} does not exist: no gateway was ever started there`;
		return warn(what, "parley start makes it; was it mistyped, name the right one with --data DIR");
	},
};
