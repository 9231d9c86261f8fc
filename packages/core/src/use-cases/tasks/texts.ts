/** Errors, log messages and notes for the model about tasks. */
export const taskRefusalTexts = {
	claimedElsewhere: (task: string): string => `the task ${task} was taken over by another worker`,
	tooDeep: (max: number): string => `workers can be nested at most ${max} levels deep: do this work yourself`,
	tooManyWorkers: (max: number): string => `a task can have at most ${max} workers: do the rest yourself`,
	noWorker: (id: string): string =>
		`this task has no worker ${JSON.stringify(id)}: use an id that spawn_worker returned`,
	stopped: "the task was stopped",
	continuesLater: "the task continues later",
	agentByOperator: (channel: string | undefined, agent: string): string =>
		`agent: the operator has set the agent of ${channel}: use ${agent}`,
	toolMissing: (tool: string): string =>
		`the tool ${tool} is not available here, so the task starts without it`,
	noTool: (tool: string, available: readonly string[]): string =>
		`tools: there is no tool ${JSON.stringify(tool)}; available: ${available.join(", ")}`,
	notClaimed: "tasks could not be claimed",
	cannotRun: "a task could not run",
	claimedElsewhereLog: "a task was taken over by another worker",
	notStored: "a task could not be stored",
	byTask: "(Assigned by the agent of the task that this work is part of.)\n",
	byConversation: "(Assigned by the agent of the conversation that this work is part of.)\n",
	onlyEnded: "only a task that has ended can be repeated; wait until it ends, or cancel it",
	cancelledBy: (person: string): string => `cancelled by ${person}`,
	noTasksInTask: "cannot submit a task to the session of a task: use another session",
	onlySuspended: "only a suspended task accepts a reply; check the state of the task",
	otherQuestion: "token: the task now has another question; read it with check_task",
} as const;
