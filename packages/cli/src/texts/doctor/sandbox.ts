/** Findings of `parley doctor` about the sandbox. */
export const sandboxCheckTexts = {
	gatewayWithout: "the gateway runs without a sandbox: commands run with your permissions",
	gatewayWithoutFix:
		"set the sandbox to preferred or required: --sandbox, PARLEY_SANDBOX, or sandbox in the configuration",
	unusable: "the reason is unknown",
	off: "off: commands run with your permissions",
	offFix:
		"set the sandbox to preferred or required: --sandbox, PARLEY_SANDBOX, or sandbox in the configuration",
	container: "commands run in the container of the gateway, as configured",
	blocked: ({ attempts }: { readonly attempts: number }) =>
		`bubblewrap blocked all ${attempts} escape attempts`,
	statusFix: "`parley status` shows the state of the sandbox",
	required: ({ reason }: { readonly reason: string }) => `no sandbox (${reason}): commands do not run`,
	preferred: ({ reason }: { readonly reason: string }) =>
		`no sandbox (${reason}): your commands run with your permissions, and commands of chats do not run`,
	memorySystemd: "memory and processes of each command are limited by a cgroup of systemd",
	memoryCgroup: "memory and processes of each command are limited by a cgroup of the gateway",
	memoryPerProcess: "memory is limited for each process, not for each command (no cgroup is available)",
	keyringOwn: "each command has its own session keyring",
	keyringDenied:
		"system calls for keys are denied, and commands have no session keyring of their own (this system does not let keyctl create a keyring)",
	keyringNotInstalled:
		"system calls for keys are denied, and commands have no session keyring of their own (keyutils is not installed)",
	filtered: "system calls are filtered",
	sizesLimited:
		"files in memory are limited to 2 GiB in total, or to a quarter of the memory of a small machine",
	sizesUnlimited: "files in memory have no limit (bubblewrap is older than 0.7)",
	filesLimitedByKernel: "only the kernel limits the number of files in memory",
	filesLimitedByMemory: "the number of files in memory is limited by the memory of the command",
	unixSockets: "commands can use Unix sockets, also those created in a root while they run",
	noUnixSockets: "commands cannot use Unix sockets",
	unixSocketsFix: "set commandUnixSockets to false if no command needs them",
	oldBubblewrapFix: "install bubblewrap 0.7 or later",
} as const;
