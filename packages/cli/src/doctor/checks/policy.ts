import { type Check, fail, ok } from "../finding.ts";

/** Whether the operator's rules can be used: where not, nothing runs. */
export const policy: Check = {
	id: "policy",
	async look({ policy: read }) {
		try {
			const file = await read();
			return ok(file === undefined ? "the built-in rules alone" : `${file} is valid`);
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			return fail(message, "mend that line; a running gateway takes the change at once");
		}
	},
};
