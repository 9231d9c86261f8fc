/** Texts about tasks. Callers must replace unsafe characters in titles, names and ids. */
export const taskTexts = {
	noTask: ({ id }: { readonly id: string }) =>
		`no task has an id that begins with ${id}; \`parley tasks --all\` lists all tasks`,
	severalTasks: ({ id }: { readonly id: string }) =>
		`several tasks have an id that begins with ${id}; use one of these ids:`,
	moreTasks: ({ limit }: { readonly limit: number }) =>
		`more than ${limit} tasks may exist; --limit shows up to 1000`,
	noMatches: "no matching tasks",
	noTasks:
		"no unfinished tasks; `parley tasks --all` lists ended tasks, and `parley task submit` submits a task",
	noTerminal: "cannot ask without a terminal: use --approve, or --revise with feedback",
	notAnswered: "not answered; the task is still waiting",
	decisionMissing: "feedback requires a decision: add --approve or --revise",
	feedbackMissing: "--revise requires feedback: describe the change after the id",
	whatToChange: "What should change?",
	whatFeedback: "What is your feedback?",
	whatDecision: "What is your decision?",
	approve: "approve",
	approveWithFeedback: "approve with feedback",
	revise: "revise",
	reviseExplained: "you describe the change",
	noQuestion: ({
		id,
		title,
		status,
	}: {
		readonly id: string;
		readonly title: string;
		readonly status: string;
	}) =>
		`task ${id} (${title}) is ${status} and has no open question; \`parley tasks --status suspended\` lists tasks that wait for you`,
	waits: "waits for you",
	description: "description",
	plan: "plan",
	workers: "workers",
	log: "log",
	error: "error",
	output: "output",
	openQuestions: "open questions",
	ownSession: "own session",
	workerOf: "worker of",
	retryOf: "retry of",
	submittedBy: "submitted by",
	submitted: ({ id }: { readonly id: string }) => `submitted ${id}`,
	submittedWithHint: ({ id, shortId }: { readonly id: string; readonly shortId: string }) =>
		`submitted ${id}; \`parley task watch ${shortId}\` shows its progress`,
	continued: ({ title, shortId }: { readonly title: string; readonly shortId: string }) =>
		`${title} continues; \`parley task watch ${shortId}\` shows its progress`,
	revised: ({ title, shortId }: { readonly title: string; readonly shortId: string }) =>
		`${title} is revised; \`parley task watch ${shortId}\` shows its progress`,
	nameWaits: ({ name }: { readonly name: string }) => `${name} · waits for you`,
	idWaits: ({
		id,
		reason,
		reply,
	}: {
		readonly id: string;
		readonly reason: string;
		readonly reply: string;
	}) => `${id} waits for you${reason === "" ? "" : `: ${reason}`}; ${reply}`,
	questionOpen: ({ reply }: { readonly reply: string }) => `a question is open; ${reply}`,
	hiddenTasks: ({ count }: { readonly count: number }) => `and ${count} more tasks`,
	completed: ({
		name,
		duration,
		input,
		output,
	}: {
		readonly name: string;
		readonly duration: string;
		readonly input: string;
		readonly output: string;
	}) => `${name} · completed in ${duration} · ${input} tokens in, ${output} out`,
	cancelled: ({
		name,
		by,
		reason,
	}: {
		readonly name: string;
		readonly by: string | undefined;
		readonly reason: string;
	}) => `${name} · cancelled${by === undefined ? "" : ` by ${by}`}${reason === "" ? "" : `: ${reason}`}`,
	failed: ({
		name,
		error,
		willRetry,
	}: {
		readonly name: string;
		readonly error: string;
		readonly willRetry: boolean;
	}) => `${name} · failed${willRetry ? ", retrying" : ""}: ${error}`,
	usage: ({
		input,
		output,
		cost,
	}: {
		readonly input: string;
		readonly output: string;
		readonly cost: string;
	}) => `${input} input tokens, ${output} output tokens, ${cost}`,
	howToRetry: ({ id }: { readonly id: string }) => `\`parley task retry ${id}\` runs it again`,
	columns: ["ID", "STATUS", "PROGRESS", "TITLE", "SESSION", "AGE", "COST"],
	continues: ({ id }: { readonly id: string }) =>
		`the task continues; \`parley task watch ${id}\` shows it again`,
	sessionDeleted: "the session of the task was deleted, and the task with it",
	questionClosed: "the question is answered or closed",
	waitsForTurn: "waits for its turn",
	howToLeave: "Ctrl-C leaves; the task continues",
} as const;
