import { type Check, fail, ok } from "../finding.ts";

const mend = "mend that line; a running gateway takes the change at once";

/** Whether the operator's rules can be used: where not, nothing runs. */
export const policy: Check = {
	id: "policy",
	async look({ policy: read, health }) {
		if (health?.policy?.state === "broken") {
			return fail(
				`the gateway denies every call: ${health.policy.reason ?? "its rules cannot be used"}`,
				mend,
			);
		}
		try {
			const file = await read();
			return ok(file === undefined ? "the built-in rules alone" : `${file} is valid`);
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			return fail(message, mend);
		}
	},
};
