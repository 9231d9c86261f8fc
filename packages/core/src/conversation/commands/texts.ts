export const backgroundLimitTexts = {
	endNotRecorded: "the end of a command could not be recorded",
	tooMany: (count: number, max: number, programList: string): string =>
		`${count} commands run in the background, and ${max} is the maximum: end one${programList} with stop_command`,
	tooManyOfGateway: "too many commands run in the background of this gateway: try again later",
	started: "command started",
	ended: "command ended",
} as const;
