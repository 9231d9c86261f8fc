export const backgroundLimitTexts = {
	endNotRecorded: "the end of a command could not be recorded",
	tooMany: (count: number, max: number, programList: string): string =>
		`cannot start the command: ${count} commands are running in the background, and ${max} is the maximum; end one${programList} with stop_command`,
	tooManyOfGateway:
		"cannot start the command: too many background commands are running on this gateway; try again later",
	started: "command started",
	ended: "command ended",
} as const;
