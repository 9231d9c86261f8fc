export const backgroundLimitTexts = {
	endNotRecorded: "the end of a command could not be recorded",
	tooMany: (count: number, max: number, numberList: string): string =>
		`cannot start the command: ${count} background commands of this session are running or starting, and at most ${max} are allowed; end one of them${numberList} with stop_command`,
	tooManyOfGateway: (max: number): string =>
		`cannot start the command: ${max} background commands of this gateway are running or starting, and at most ${max} are allowed; try again later`,
	started: "command started",
	ended: "command ended",
} as const;
