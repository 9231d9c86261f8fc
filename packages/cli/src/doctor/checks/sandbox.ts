import type { SandboxFeatures } from "@parley/core";
import { sandboxCheckTexts } from "../../texts/doctor/sandbox.ts";
import { type Check, fail, ok, warn } from "../finding.ts";

/** Tries known escapes from the sandbox. Reports which protections this system enforces. */
export const sandboxCheck: Check = {
	id: "sandbox",
	async examine({ sandbox: tryOut, health }) {
		// The running gateway may have other settings than this command.
		if (health?.sandbox?.mode === "off") {
			return warn(sandboxCheckTexts.gatewayWithout, sandboxCheckTexts.gatewayWithoutFix);
		}
		const { mode, state, probes, reason = sandboxCheckTexts.unusable, fix, features } = await tryOut();
		if (mode === "off") return warn(sandboxCheckTexts.off, sandboxCheckTexts.offFix);
		if (mode === "container") return ok(sandboxCheckTexts.container);
		if (state === "ready") {
			const report = sandboxCheckTexts.blocked({ attempts: probes });
			// The gateway may have other system permissions than this command, for example in the cgroup of its
			// service.
			const known = health?.sandbox?.features ?? features;
			if (!known) return ok(report);
			const words = `${report}; ${describeFeatures(known).join("; ")}`;
			return known.unixSockets || !known.sizes ? warn(words, howToStrengthen(known)) : ok(words);
		}
		const help = fix ?? sandboxCheckTexts.statusFix;
		if (mode === "required") return fail(sandboxCheckTexts.required({ reason }), help);
		return warn(sandboxCheckTexts.preferred({ reason }), help);
	},
};

const memoryLimits: Readonly<Record<SandboxFeatures["memory"], string>> = {
	systemd: sandboxCheckTexts.memorySystemd,
	cgroup: sandboxCheckTexts.memoryCgroup,
	"address-space": sandboxCheckTexts.memoryPerProcess,
};

const keyrings: Readonly<Record<SandboxFeatures["keyring"], string>> = {
	own: sandboxCheckTexts.keyringOwn,
	denied: sandboxCheckTexts.keyringDenied,
	"not-installed": sandboxCheckTexts.keyringNotInstalled,
};

function describeFeatures({ memory, keyring, sizes, unixSockets }: SandboxFeatures): string[] {
	return [
		sandboxCheckTexts.filtered,
		memoryLimits[memory],
		keyrings[keyring],
		sizes ? sandboxCheckTexts.sizesLimited : sandboxCheckTexts.sizesUnlimited,
		memory === "address-space"
			? sandboxCheckTexts.filesLimitedByKernel
			: sandboxCheckTexts.filesLimitedByMemory,
		unixSockets ? sandboxCheckTexts.unixSockets : sandboxCheckTexts.noUnixSockets,
	];
}

function howToStrengthen({ unixSockets }: SandboxFeatures): string {
	return unixSockets ? sandboxCheckTexts.unixSocketsFix : sandboxCheckTexts.oldBubblewrapFix;
}
