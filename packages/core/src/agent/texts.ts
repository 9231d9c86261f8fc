export const compactionTexts = {
	failed: "a compaction failed",
	noSummary: "a compaction ended without a summary",
	notRecorded: "the end of a compaction could not be recorded",
	compacted: "session compacted",
	busy: "session busy: a run or a tool is active; cancel it first, or wait until it ends",
} as const;

export const runEndTexts = {
	failed: "a run failed",
	workedTooLong: (minutes: number): string => `stopped after ${minutes} minutes of work`,
	tryLater: (reason: string): string => `${reason}; try again later`,
	refused: "the model refused to answer this message: rephrase the message, or choose another model",
	lengthLimit:
		"the reply reached its length limit or ended without a reason; ask the agent to continue, or for a shorter answer",
	started: "run started",
	notRecorded: "a run could not be recorded and is retried",
	cannotContinue: "a session could not continue",
} as const;
