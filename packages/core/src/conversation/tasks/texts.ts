/** Reasons why a task does not start, or why it ended. */
export const taskStateTexts = {
	parentEnded: "parent ended",
	failed: "has failed",
	cancelled: "was cancelled",
	needs: ({
		id,
		title,
		why,
		reason,
	}: {
		readonly id: string;
		readonly title: string;
		readonly why: string;
		readonly reason: string;
	}): string => `it needs ${id} (${title}), which ${why}${reason === "" ? "" : `: ${reason}`}`,
	throughAgent: " through an agent",
	tooManyOpen: (max: number, what: string): string => `the session already has ${max} open ${what}`,
	tooManyOfPerson: (person: string, max: number): string => `${person} already has ${max} open tasks`,
	busy: (why: string): string => `session busy: ${why}; wait for some of them, or cancel them`,
	notYourWorker: (id: string): string => `depends_on: ${id} is not one of your workers`,
	notOfSession: (id: string): string => `depends_on: ${id} is not a task of this session`,
	hasFailed: (id: string): string => `depends_on: ${id} has failed`,
	hasBeenCancelled: (id: string): string => `depends_on: ${id} has been cancelled`,
} as const;
