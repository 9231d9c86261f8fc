import { type Check, fail, ok } from "../finding.ts";

export const config: Check = {
	id: "config",
	look: async ({ config: read }) =>
		read instanceof Error
			? fail(read.message, "change the setting that is named; flags and variables count before the file")
			: ok("the configuration is valid"),
};
