/** Markdown texts about schedules. */
export const scheduleTexts = {
	add: {
		description: "Schedule a message to the agent",
		text: "Message to the agent",
		when: "When to send it: every weekday at 9:00, every 2 hours, in 30 minutes, on task.failed, or cron",
		show: "How the agent shows the answer",
		shows: { post: "as a post", thread: "in a thread", silent: "only if the run fails" },
		zone: "Time zone, for example Europe/Berlin",
		title: "A short name",
		done: ({ schedule }: { readonly schedule: string }): string => `Scheduled:\n${schedule}`,
	},

	list: {
		description: "List your schedules",
		none: ({ command }: { readonly command: string }): string =>
			`You have no schedules. \`${command}\` adds one.`,
		hidden: ({ command }: { readonly command: string }): string =>
			`Schedules of other channels are not shown here. \`${command}\` shows them to you alone.`,
		howToRemove: ({ command }: { readonly command: string }): string =>
			`\`${command} NUMBER\` removes a schedule.`,
		next: ({ at }: { readonly at: string }): string => `, next ${at}`,
		problem: ({ problem }: { readonly problem: string }): string => `\n  did not run: ${problem}`,
	},

	remove: {
		description: "Remove one of your schedules",
		id: "Title of the schedule, or its number in the list",
		done: "Removed.",
		doneNamed: ({ title }: { readonly title: string }): string => `Removed: ${title}`,
	},

	/** Thread name for a schedule without a title. */
	thread: "Schedule",
	created: ({
		name,
		when,
		silent,
	}: {
		readonly name: string;
		readonly when: string;
		readonly silent: boolean;
	}): string =>
		`${name} is scheduled: ${when}.${silent ? " The result is shown only if the run fails." : ""}`,
	removed: ({ name }: { readonly name: string }): string => `${name} is no longer scheduled.`,
	missed: ({ name, error }: { readonly name: string; readonly error: string }): string =>
		`${name} did not run: ${error}.`,
	late: ({ due }: { readonly due: string }): string => ` · late, was due ${due}`,
};
