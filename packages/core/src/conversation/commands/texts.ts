export const backgroundLimitTexts = {
	endNotRecorded: "the end of a command could not be recorded",
	tooMany: (count: number, max: number, numberList: string): string =>
		`cannot start the command: ${count} background commands of this session (maximum: ${max}) are running or starting; end a command${numberList} with stop_command`,
	tooManyOfGateway: (max: number): string =>
		`cannot start the command: ${max} background commands of this gateway, the maximum, are running or starting; try again later`,
	started: "command started",
	ended: "command ended",
} as const;
