export const logsHelp = {
	description: "show the log of the gateway",
	notes: `
If \`parley service install\` installed a systemd service for the data directory,
shows the journal of the service. Without a service, or while a gateway runs
outside the service, shows the log file run/gateway.log in the data directory.

Examples:
  parley logs --follow
  parley logs --since 12h --level warn
`,
	follow: "also print new lines, until Ctrl-C",
	since: "only lines after this time: 30m, 12h, 2d, a date or a time",
	level: "minimum level",
	lines: "number of earlier lines, if --since is not set",
	json: "print each log line as a JSON object",
} as const;
