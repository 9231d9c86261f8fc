export const tasksHelp = {
	notes: `
Workers are listed below their task. Questions that wait for you are listed at
the end, with the command that answers them.

Examples:
  parley tasks
  parley tasks --session sess_4k2x --all
  parley tasks --status failed cancelled --json
`,
	description: "list unfinished tasks, newest first",
	status: "only these statuses",
	all: "include ended tasks",
} as const;

export const taskHelp = {
	notes: `
You can abbreviate an ID to a unique beginning with at least 4 characters after
the prefix; \`parley tasks\` lists the tasks.

Examples:
  parley task submit "Tidy up" "Remove unused exports" --watch
  parley task submit Report - --session sess_4k2x --tool read_file < report.txt
  parley task reply 7fd1 --revise "keep the old names"
`,
	description: "submit a task in the background; show, watch, answer and cancel tasks",
	submitNotes: `
The task has its own session. Its questions and reports go to the session that
--session names. Without --session, they go to the session of the first --after
task, or else to a new session in this directory. The task also runs while no
client is connected.

Without a description, the title is the description. To read the description
from standard input, use \`-\`.
`,
	submit: "submit a task that runs in the background",
	title: "title of the task",
	work: "description of the work",
	session: "session for questions and reports; the id may be abbreviated",
	tool: "tool that the task may use; may be repeated",
	priority: "priority (default: normal)",
	agent: "agent profile (see parley agents)",
	model: "model (see parley models)",
	after: "task that must complete first; may be repeated",
	autonomous: "do not ask for a review of plans; tool calls still require approval",
	watchAfterSubmit: "watch the task until it ends",
	show: "print the details of a task",
	log: "include the transcript of its session",
	watchNotes: `
--json prints JSON objects, one per line: the task, then its events and those of
its workers, and finally the task again.

Exit code: 0 if the task completed, 1 if it failed, 3 if it was cancelled; 130
after Ctrl-C, which does not stop the task.
`,
	watch: "show the events of a task until it ends, then its output",
	reply: "answer the question of a task; prompts you if no answer is given",
	feedback: "feedback for the task; - reads it from stdin",
	approve: "approve the plan",
	revise: "request another plan; requires feedback",
	cancel: "cancel a task with all its workers",
	reason: "reason, which is shown in its session",
	retry: "run an ended task again as a new task",
	id: "id of the task; may be abbreviated",
} as const;

export const taskMessages = {
	// `status` is the status of the task after the request.
	cancelled: ({
		title,
		status,
		wasEnded,
	}: {
		readonly title: string;
		readonly status: string;
		readonly wasEnded: boolean;
	}) => `${title} is ${status}${wasEnded ? " already" : ""}`,
} as const;
