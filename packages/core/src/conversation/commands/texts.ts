export const backgroundLimitTexts = {
	endNotRecorded: "the end of a command could not be recorded",
	tooMany: (count: number, max: number, numberList: string): string =>
		`cannot start the command: this session already has ${count} background commands (maximum: ${max}); end a command${numberList} with stop_command`,
	tooManyOfGateway: (max: number): string =>
		`cannot start the command: the gateway already has ${max} background commands, the maximum; try again later`,
	started: "command started",
	ended: "command ended",
} as const;
