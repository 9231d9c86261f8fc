export const taskToolTexts = {
	onlyInTask: "this tool works only in a task: continue without it",
	requestReview:
		"Shows people a plan or a question, and waits until a person approves it or requests changes. This can take days. " +
		"Use it before work that is hard to undo, or if the request has several possible meanings. Not for permission to use a " +
		"tool: Parley requests approvals itself.",
	reason: "Reason for the review, in one sentence.",
	plan: "The complete plan or question in Markdown. People see only this text.",
	reviewLabel: (reason: string): string => `request a review: ${reason}`,
	changesRequested: (comment: string): string =>
		`changes requested: revise it, and request another review if it matters${comment}`,
	spawnWorker:
		"Assigns a part of this task to another agent, which works on it at the same time. Returns its id at once. Use it for " +
		"parts that do not depend on each other. wait_for_workers returns their results. Not for work of one or two calls.",
	title: "Work of the worker, in a few words.",
	work: "All information that the worker needs: it does not see this conversation.",
	tools: "Names of the tools of this task that it may use. Default: all of them.",
	model: "Another model: a name or a tier.",
	dependsOn: "Ids of workers of this task that must complete first.",
	workerLabel: (title: string): string => `spawn a worker: ${title}`,
	waitForWorkers:
		"Waits until workers of this task have ended and returns their results. Use it when you need the results to continue, and " +
		"before you end: workers that are still active at your end are cancelled.",
	ids: "Ids that spawn_worker returned. Default: all workers of this task.",
	waitLabel: (workers: readonly string[]): string => `wait for ${workers.join(", ")}`,
	waitAllLabel: "wait for all workers",
	none: "this task has no workers",
	cut: (text: string): string => `${text}\n[cut: request less, or let the worker write it to a file]`,
} as const;
