import type { SandboxFeatures } from "@parley/core";
import { type Check, fail, ok, warn } from "../finding.ts";

/** Tries every known escape from the sandbox, and reports which of its properties this system enforces. */
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
		const { mode, state, probes, reason = "it cannot be used", fix, features } = await tryOut();
		if (mode === "off") return warn("off: commands run with your own power", "leave --sandbox off away");
		if (mode === "container") return ok("the container around the gateway, as you have declared");
		if (state === "ready") {
			const held = `bubblewrap held in ${probes} attempts to get out`;
			// The gateway may have other rights in the system than this command, for example a cgroup of its service.
			const known = health?.sandbox?.features ?? features;
			if (!known) return ok(held);
			const words = `${held}; ${describeFeatures(known).join("; ")}`;
			return known.unixSockets || !known.sizes ? warn(words, howToStrengthen(known)) : ok(words);
		}
		const help = fix ?? "parley status shows what the gateway found";
		if (mode === "required") return fail(`none, so that no command runs: ${reason}`, help);
		return warn(`none: your commands run with your own power, those of chat not at all: ${reason}`, help);
	},
};

const memoryLimits: Readonly<Record<SandboxFeatures["memory"], string>> = {
	systemd: "memory and processes of each command are limited by a cgroup of systemd",
	cgroup: "memory and processes of each command are limited by a cgroup of the gateway",
	"address-space": "memory is limited for each process, not for a command (no cgroup can be made here)",
};

const keyrings: Readonly<Record<SandboxFeatures["keyring"], string>> = {
	own: "each command has its own session keyring",
	denied:
		"calls about keys are denied, without an own session keyring (this system does not let keyctl make one)",
	"not-installed": "calls about keys are denied, without an own session keyring (keyutils is not installed)",
};

function describeFeatures({ memory, keyring, sizes, unixSockets }: SandboxFeatures): string[] {
	return [
		"system calls are filtered",
		memoryLimits[memory],
		keyrings[keyring],
		sizes
			? "files in memory hold at most 2 GiB together (on a small machine a quarter of its memory)"
			: "files in memory have no limit (bubblewrap is older than 0.7)",
		memory === "address-space"
			? "the number of files in memory has the kernel's limit alone"
			: "the number of files in memory is limited by the memory of the command",
		unixSockets
			? "commands may use Unix sockets, also those made in a root while they run"
			: "commands cannot use Unix sockets",
	];
}

function howToStrengthen({ unixSockets }: SandboxFeatures): string {
	return unixSockets
		? "set commandUnixSockets to false if no command needs them"
		: "install bubblewrap 0.7 or later";
}
