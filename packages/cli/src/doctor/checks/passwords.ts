import { type Check, ok, warn } from "../finding.ts";

const fix = "restore the key from a backup, or enter the passwords again when a tool asks for them";

/** Whether the key of the data directory opens the passwords that are stored in its database. */
export const passwords: Check = {
	id: "passwords",
	async look({ storedSecrets }) {
		const { stored, opened, keyFile, hasKey } = await storedSecrets();
		if (stored === 0) return ok("none are stored");
		if (!hasKey)
			return warn(`the key ${keyFile} is missing: it is needed for stored passwords (${stored})`, fix);
		const lost = stored - opened;
		if (lost === 0) return ok(`the key opens all that are stored (${stored})`);
		return warn(`the key ${keyFile} does not open ${lost} of ${stored} stored passwords`, fix);
	},
};
