import { type Check, fail, ok, warn } from "../finding.ts";

/** Whether what is said to confine commands does: every way out that is known is tried. */
export const sandbox: Check = {
	id: "sandbox",
	async look({ sandbox: tryOut, health }) {
		// The gateway was perhaps started with other settings than this command has.
		if (health?.sandbox?.mode === "off") {
			return warn(
				"the gateway runs with it off: your commands have your own power",
				"start it without --sandbox off",
			);
		}
		const { mode, state, probes, reason = "it cannot be used", fix } = await tryOut();
		if (mode === "off") return warn("off: commands run with your own power", "leave --sandbox off away");
		if (mode === "container") return ok("the container around the gateway, as you have declared");
		if (state === "ready") return ok(`bubblewrap held in ${probes} attempts to get out`);
		const help = fix ?? "parley status shows what the gateway found";
		if (mode === "required") return fail(`none, so that no command runs: ${reason}`, help);
		return warn(`none: your commands run with your own power, those of chat not at all: ${reason}`, help);
	},
};
