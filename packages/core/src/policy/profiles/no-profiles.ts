import { ParleyError } from "@parley/base";
import type { Profiles } from "./profile.ts";

/** Where nobody wrote any: the built-in profile alone. */
export const noProfiles: Profiles = {
	async find(name) {
		if (name === "default") return { name, title: "Parley", sampling: {} };
		throw new ParleyError(`agent not found: ${name}; available: default`, { code: "invalid_argument" });
	},
	async list() {
		return { profiles: [await this.find("default")], problems: [] };
	},
};
