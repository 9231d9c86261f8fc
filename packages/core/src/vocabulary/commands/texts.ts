/** Texts about background commands, for the model. */
export const backgroundTexts = {
	unknown: (number: number): string =>
		`this session has no command ${number} in the background: use the number of a command that this session started`,
	endedBySignal: "ended by a signal",
	exitCode: (code: string | number): string => `ended with exit code ${code}`,
	maxTime: (hours: number): string => `ended after ${hours} hours, the maximum`,
	restarted: "ended because Parley was restarted",
	notStarted: "could not be started",
	heading:
		"[Commands in the background of this conversation, as Parley knows them. Use command_output for their output.]",
	earlier: (count: number): string =>
		count === 1 ? "[1 earlier command has ended too]" : `[${count} earlier commands have ended too]`,
} as const;
