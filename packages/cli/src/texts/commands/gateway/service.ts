export const serviceHelp = {
	description: "run the gateway as a service of systemd or launchd",
	install: "install the service, start it and wait for its gateway",
	notes: `
The service runs \`parley gateway --connectors\` with these flags, and with the
PARLEY_ variables and the PATH of this shell. Keys and tokens come from the
environment file; --env NAME stores an environment variable of this shell in it.
Run the command again after an upgrade, or to change the flags: it updates and
restarts the service.

Examples:
  parley service install --root ~/projects/shop --env ANTHROPIC_API_KEY
  sudo parley service install --system --user parley
`,
	uninstall: "stop and remove the service; keep the data and the keys",
	status: "show the service; exit code 1 if its gateway does not answer",
	logs: "show the log of the service",
	system: "use a system service instead of a user service; needs root",
	name: "name of the service, if you run several",
	user: "account of a system service (default: the user of sudo)",
	env: "environment variable of this shell to store for the service, such as ANTHROPIC_API_KEY; may be repeated",
	envFile: "environment file (default: service.env in the data directory, or /etc/NAME.env)",
	dryRun: "print the description of the service, and change nothing",
} as const;

export const serviceCommandMessages = {
	invalidName: "Use 1 to 31 lower-case letters, digits and hyphens, beginning with a letter.",
} as const;
