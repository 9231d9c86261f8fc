interface Named {
	readonly name: string;
}
interface Filed {
	readonly file: string;
}
interface Stored {
	readonly data: string;
}

/** Texts of `parley service`. */
export const serviceTexts = {
	waiting: "waiting until the gateway answers",
	done: { installed: "installed", updated: "updated", unchanged: "unchanged" },
	running: ({ urls }: { readonly urls: string }) => `running: ${urls}`,
	logsHint: "logs: parley service logs -f",
	note: ({ note }: { readonly note: string }) => `note: ${note}`,
	noAnswer: ({ data, why }: Stored & { readonly why: string }) =>
		`the gateway of the service with the data directory ${data} does not answer (${why}); \`parley service logs\` shows the reason`,
	missingKeys: ({ names, flags, file }: Filed & { readonly names: string; readonly flags: string }) =>
		`the service does not get these environment variables of this shell: ${names}. \`parley service install ${flags}\`, with the other flags of the service, stores them in ${file}`,
	notInstalled: ({ name }: Named) =>
		`no service ${name} is installed; install it with \`parley service install --name ${name}\``,
	nothingToRemove: ({ name }: Named) => `no service ${name} is installed`,
	ofSystem: ({ name }: Named) =>
		`${name} is a service of the system: \`sudo parley service uninstall --system\` removes it`,
	removed: ({ file }: Filed) => `stopped and removed: ${file}`,
	dataStays: ({ data }: Stored) => `kept: the data in ${data}`,
	keysStay: ({ file }: Filed) => `kept: the keys in ${file}`,
	labels: {
		service: "service",
		state: "state",
		starts: "starts",
		process: "process",
		gateway: "gateway",
		address: "address",
		data: "data",
		keys: "keys",
		file: "file",
		logs: "logs",
	},
	logsCommand: "parley service logs -f",
	withMachine: "at boot",
	withLogin: "when you log in",
	withLoginOrMachine: "when you log in, or at boot if lingering is on",
	byHand: "only by hand",
	silent: "does not answer",
	healthy: ({ health, version }: { readonly health: string; readonly version: string }) =>
		`${health}, version ${version}`,
} as const;

/** Errors of `parley service`, and notes about lingering. */
export const serviceErrors = {
	foreignFile: ({ file }: Filed) =>
		`${file} was not written by \`parley service install\`, so it stays as it is; remove it yourself, or choose another name with \`--name\``,
	otherGateway: ({ data, pid }: Stored & { readonly pid: number }) =>
		`a gateway is already running on the data directory ${data} (process ${pid}); stop it with \`parley stop --data ${data}\`, and run the command again`,
	noManager: ({ platform }: { readonly platform: string }) =>
		`Parley cannot install a service on ${platform}, only on Linux with systemd and on macOS; let your service manager run \`parley gateway --connectors\``,
	needsRoot: "a system service needs root; run the command again with `sudo`, or leave out `--system`",
	noSystemd: "systemd is not running on this machine, so it cannot start Parley",
	fixWsl:
		"turn on systemd: write the lines `[boot]` and `systemd=true` into /etc/wsl.conf, run `wsl.exe --shutdown`, and open WSL again",
	fixOther:
		"let the service manager of this machine run `parley gateway --connectors` and stop it with SIGTERM; docs/service.md has an example",
	unreachable: ({ user, reason }: { readonly user: string; readonly reason: string }) =>
		`the systemd of user ${user} cannot be reached: ${reason}. Log in directly as this user, for example with \`ssh\` or \`machinectl shell\`, and not with \`su\` or \`sudo\`. Or use \`--system\``,
	noDomain: ({ domain, reason }: { readonly domain: string; readonly reason: string }) =>
		`launchd has no domain ${domain}: ${reason}; log in at the screen of this Mac, or use \`sudo\` with \`--system\``,
	stillRuns: "the service did not stop in time; run the command again",
	callFailed: ({ call, reason }: { readonly call: string; readonly reason: string }) =>
		`\`${call}\` failed: ${reason}; find and correct the cause, and try again`,
	noReason: "no reason was printed",
	lingerOn:
		"turned on lingering, so that the service starts at boot and continues after a logout; `loginctl disable-linger` reverts this",
	lingerOff: ({ user }: { readonly user: string }) =>
		`the service ends with your last login: run \`sudo loginctl enable-linger ${user}\``,
	temporaryCopy: ({ program }: { readonly program: string }) =>
		`${program} is in the temporary directory of npx, which may be deleted; install Parley with \`npm install --global\`, and run the command again`,
	noAccount: ({ account }: { readonly account: string }) =>
		account === ""
			? "no account is set for the system service; use `--user NAME`"
			: `cannot run a system service as ${JSON.stringify(account)}: the account does not exist, or it is root. Create an account, for example with \`sudo useradd --system --create-home parley\`, and use \`--user parley\``,
	unusableText: ({ text }: { readonly text: string }) =>
		`the service description cannot contain ${JSON.stringify(text)}, which has control characters, or ends with a space or backslash; use another path or value`,
	invalidVariable: ({ name }: Named) =>
		`invalid environment variable name ${JSON.stringify(name)}; use a name such as ANTHROPIC_API_KEY`,
	unsetVariable: ({ name }: Named) =>
		`${name} is not set in this shell; set it, or leave out \`--env ${name}\``,
	oddValue: ({ name }: Named) =>
		`the value of ${name} has characters that this command cannot store; write the value into the environment file yourself`,
} as const;

/** Texts in the files that Parley writes for services. */
export const serviceFileTexts = {
	written: "Written by `parley service install`, which replaces it. `parley service uninstall` removes it.",
	description: "Parley, a self-hosted AI agent",
	output: "Standard output has only the ready line. Log lines and errors are on stderr.",
	restart: "Code 2 means an invalid configuration: another start would fail too.",
	stop: "Only the gateway gets SIGTERM. It ends its commands and connectors itself.",
	memory:
		"Lets the gateway limit the memory of commands. A command that runs out of memory does not end the gateway.",
	keys: `# Keys and tokens of the Parley service, one NAME=value for each line. Only you can read this file.
# Written by \`parley service install\`. \`parley service install --env NAME\` adds a variable of the shell.
`,
} as const;
