import type { SandboxFeatures } from "@parley/core";
import { type Check, fail, ok, warn } from "../finding.ts";

/** Tries every known escape from the sandbox, and reports which of its properties this system enforces. */
export const sandbox: Check = {
	id: "sandbox",
	async examine({ sandbox: tryOut, health }) {
		// The settings of the running gateway can differ from those of this command.
		if (health?.sandbox?.mode === "off") {
			return warn(
				"the gateway runs without a sandbox: commands run with your permissions",
				"start the gateway without --sandbox off",
			);
		}
		const { mode, state, probes, reason = "it cannot be used", fix, features } = await tryOut();
		if (mode === "off") return warn("off: commands run with your permissions", "remove --sandbox off");
		if (mode === "container") return ok("commands run in the container of the gateway, as configured");
		if (state === "ready") {
			const report = `bubblewrap blocked all ${probes} escape attempts`;
			// The gateway may have other rights in the system than this command, for example a cgroup of its service.
			const known = health?.sandbox?.features ?? features;
			if (!known) return ok(report);
			const words = `${report}; ${describeFeatures(known).join("; ")}`;
			return known.unixSockets || !known.sizes ? warn(words, howToStrengthen(known)) : ok(words);
		}
		const help = fix ?? "`parley status` shows the state of the sandbox";
		if (mode === "required") return fail(`no sandbox, so commands do not run: ${reason}`, help);
		return warn(
			`no sandbox: your commands run with your permissions, and commands of chats do not run: ${reason}`,
			help,
		);
	},
};

const memoryLimits: Readonly<Record<SandboxFeatures["memory"], string>> = {
	systemd: "memory and processes of each command are limited by a cgroup of systemd",
	cgroup: "memory and processes of each command are limited by a cgroup of the gateway",
	"address-space": "memory is limited for each process, not for each command (no cgroup is available)",
};

const keyrings: Readonly<Record<SandboxFeatures["keyring"], string>> = {
	own: "each command has its own session keyring",
	denied:
		"system calls for keys are denied, and commands have no session keyring of their own (this system does not let keyctl create one)",
	"not-installed":
		"system calls for keys are denied, and commands have no session keyring of their own (keyutils is not installed)",
};

function describeFeatures({ memory, keyring, sizes, unixSockets }: SandboxFeatures): string[] {
	return [
		"system calls are filtered",
		memoryLimits[memory],
		keyrings[keyring],
		sizes
			? "files in memory are limited to 2 GiB in total, or to a quarter of the memory of a small machine"
			: "files in memory have no limit (bubblewrap is older than 0.7)",
		memory === "address-space"
			? "only the kernel limits the number of files in memory"
			: "the number of files in memory is limited by the memory of the command",
		unixSockets
			? "commands can use Unix sockets, also those created in a root while they run"
			: "commands cannot use Unix sockets",
	];
}

function howToStrengthen({ unixSockets }: SandboxFeatures): string {
	return unixSockets
		? "set commandUnixSockets to false if no command needs them"
		: "install bubblewrap 0.7 or later";
}
