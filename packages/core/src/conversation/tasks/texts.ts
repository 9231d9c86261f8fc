/** Reasons why a task does not start, or why it ended. */
export const taskStateTexts = {
	parentEnded: "parent ended",
	failed: "has failed",
	cancelled: "was cancelled",
	needs: ({
		id,
		title,
		ending,
		reason,
	}: {
		readonly id: string;
		readonly title: string;
		readonly ending: string;
		readonly reason: string;
	}): string => `it needs ${id} (${title}), which ${ending}${reason === "" ? "" : `: ${reason}`}`,
	throughAgent: " through an agent",
	tooManyOpen: (max: number): string => `the session already has ${max} open tasks`,
	tooManyOfPerson: (person: string, max: number): string => `${person} already has ${max} open tasks`,
	busy: (reason: string): string =>
		`session busy: ${reason}; wait until some of the tasks end, or cancel some`,
	tooManyWorkers: (max: number): string =>
		`session busy: the session already has ${max} open workers; wait until some of them end`,
	notYourWorker: (id: string): string =>
		`depends_on: ${id} is not one of your workers: use an id that spawn_worker returned`,
	notOfSession: (id: string): string =>
		`depends_on: ${id} is not a task of this session: use an id that list_tasks returns`,
	hasFailed: (id: string): string =>
		`depends_on: ${id} has failed: leave it out, or repeat the task and use its new id`,
	hasBeenCancelled: (id: string): string =>
		`depends_on: ${id} has been cancelled: leave it out, or repeat the task and use its new id`,
} as const;
