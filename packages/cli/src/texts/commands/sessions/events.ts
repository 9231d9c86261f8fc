export const eventsHelp = {
	notes: `
Each event has a row: its time, session, type and details. --json prints each
event as one line of JSON, as the gateway sends it.

--follow continues without a gap after a restart of the gateway. Ctrl-C ends it
(exit code 130).

Examples:
  parley events --follow
  parley events --follow --session sess_4k2x --type tool.call
  parley events --limit 1000 --json
`,
	description: "show the events of all sessions",
	follow: "continue with new events",
	type: "only events of this type, such as tool.call; may be repeated",
	limit: "number of earlier events (default: 50, or 10 with --follow)",
} as const;
