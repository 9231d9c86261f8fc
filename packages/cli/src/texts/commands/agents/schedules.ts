export const schedulesHelp = {
	notes: `
A schedule sends a message to the agent at given times, with the rights of its
owner. The list shows the next time of each schedule, and the reason if a
schedule did not fire.

Examples:
  parley schedules
  parley schedules add --key ops "every weekday at 9:00" "Summarise the open issues"
  parley schedules add --session sess_4k2x "0 9 * * 1-5" "Report" --tz Europe/Berlin
  parley schedules remove sched_4k2x
`,
	description: "list messages that are sent at given times; add and remove them",
	session: "only schedules of this session",
	limit: "maximum number of schedules",
	add: "send a message at given times to a session (--session), or to the session of a key (--key)",
	when: 'for example "every day at 9:00", "in 30 minutes" or cron',
	prompt: "the message",
	targetSession: "session of the schedule",
	key: "session with this key; created if missing (default: schedules)",
	title: "title of the schedule",
	timeZone: "time zone, such as Europe/Berlin (default: the time zone of the gateway)",
	show: "how the channel shows the answer; silent shows only errors",
	remove: "remove schedules by their ids",
	ids: "ids that `parley schedules` shows",
} as const;

export const schedulesMessages = {
	noSchedules: "no schedules",
	added: ({ id, next }: { readonly id: string; readonly next: string | undefined }) =>
		next === undefined ? `added ${id}` : `added ${id}, next due ${next}`,
	removed: ({ count }: { readonly count: number }) =>
		`removed ${count} ${count === 1 ? "schedule" : "schedules"}`,
} as const;
