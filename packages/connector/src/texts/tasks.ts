/** Markdown texts of the commands about tasks. */
export const taskCommandTexts = {
	id: "Title of the task, or its number in the list",

	create: {
		description: "Start a task in the background",
		text: "Description of the work",
		title: "Short title",
		agent: "Agent for the task",
		priority: "Priority in the queue",
		done: ({ title }: { readonly title: string }): string =>
			`Task **${title}** is queued. Its card shows the progress.`,
	},

	list: {
		description: "List the tasks of this channel",
		none: ({ command }: { readonly command: string }): string =>
			`This channel has no tasks yet. \`${command}\` starts one.`,
		more: ({ count }: { readonly count: number }): string =>
			`and ${count} older ${count === 1 ? "task" : "tasks"}`,
	},

	show: {
		description: "Show all details of a task",
		request: "**Request**",
		result: "**Result**",
		plan: "**Plan**",
		stepNotes: { pending: "", completed: "", in_progress: " (in progress)", skipped: " (skipped)" },
		agent: ({ agent, model }: { readonly agent: string; readonly model: string | undefined }): string =>
			`agent ${agent}${model === undefined ? "" : ` with ${model}`}`,
	},

	cancel: {
		description: "Cancel a task with all its subtasks",
		reason: "Reason (the other members see it)",
		done: ({ title }: { readonly title: string }): string => `Cancelled **${title}** with all its subtasks.`,
		tooLate: ({ title, state }: { readonly title: string; readonly state: string }): string =>
			`**${title}** had already ended: ${state}.`,
	},

	reply: {
		description: "Answer the question of a task",
		text: "Your answer: `approve` to continue, or the changes that you want",
		done: ({ title, approved }: { readonly title: string; readonly approved: boolean }): string =>
			approved ? `Approved: **${title}** continues.` : `Answered: **${title}** continues with your changes.`,
	},
};

/** Markdown texts of the cards and posts of tasks, and of the replies to their buttons. */
export const taskTexts = {
	states: {
		pending: "🕓 Queued",
		running: "▶️ In progress",
		retrying: "🔁 Retrying soon",
		suspended: "⏸️ Waiting for your answer",
		completed: "✅ Done",
		failed: "❌ Failed",
		cancelled: "⏹️ Cancelled",
	},
	buttons: { approve: "Approve", revise: "Revise", retry: "Retry", cancel: "Cancel", card: "Open the card" },
	reviseForm: { title: "Request changes", text: "Changes that you want" },

	/** Thread name for a task without a title. */
	thread: "Task",
	requested: ({ at }: { readonly at: string }): string => `requested ${at}`,
	started: ({ at }: { readonly at: string }): string => `started ${at}`,
	took: ({ time }: { readonly time: string }): string => `took ${time}`,
	after: ({ time }: { readonly time: string }): string => ` after ${time}`,
	by: ({ person }: { readonly person: string }): string => ` by ${person}`,
	progress: ({ done, total }: { readonly done: number; readonly total: number }): string =>
		`${done} of ${total}`,
	currentStep: ({ bar, step }: { readonly bar: string; readonly step: string }): string =>
		`${bar} · now: ${step}`,
	stepDone: ({ done, total }: { readonly done: number; readonly total: number }): string =>
		`☑️ Step ${done} of ${total} is done`,
	stepsBefore: ({ count }: { readonly count: number }): string =>
		`… ${count} earlier ${count === 1 ? "step" : "steps"}`,
	stepTook: ({ line, time }: { readonly line: string; readonly time: string }): string => `${line} · ${time}`,
	stepsAfter: ({ count }: { readonly count: number }): string =>
		`… ${count} more ${count === 1 ? "step" : "steps"}`,
	earlierSubtasks: ({ count }: { readonly count: number }): string =>
		`- and ${count} earlier ${count === 1 ? "subtask" : "subtasks"}`,
	conversationDeleted: "its conversation was deleted",

	// `subtask`: title of the subtask; undefined for the plan of the task itself.
	plan: ({ plan, subtask }: { readonly plan: string; readonly subtask: string | undefined }): string =>
		`📋 **Plan**${subtask === undefined ? "" : ` for the subtask **${subtask}**`}\n\n${plan}`,
	continued: "▶️ **Continued**",
	cancelled: ({ cause }: { readonly cause: string }): string => `⏹️ **Cancelled**${cause}`,
	// `result` may be empty.
	done: ({ result }: { readonly result: string }): string =>
		result === "" ? "✅ **Done**" : `✅ **Done**\n\n${result}`,
	completeResult: ({ command }: { readonly command: string }): string => ` · complete result: ${command}`,
	retrying: ({ attempt, error }: { readonly attempt: number; readonly error: string }): string =>
		`🔁 **Failed** (attempt ${attempt} follows): ${error}`,
	unknownError: "unknown error",

	/**
	 * Text for the agent about an ended task, if a message in the task's thread continues the work. `result` may be empty.
	 */
	followUp: {
		task: ({
			title,
			state,
			request,
			result,
		}: {
			readonly title: string;
			readonly state: string;
			readonly request: string;
			readonly result: string;
		}): string =>
			`The task “${title}” of this thread has ended: ${state}.\n\nIts request:\n${request}${result === "" ? "" : `\n\nIts result:\n${result}`}`,
	},

	review: {
		waiting: ({ reason }: { readonly reason: string }): string => `**Waiting for your answer**: ${reason}`,
		open: ({ reason, how }: { readonly reason: string; readonly how: string }): string =>
			`⏸️ **Waiting for your answer**: ${reason}\nPress **Approve** to continue, or **Revise** to request changes. ${how}`,
		replyHere: "You can also reply in this thread.",
		replyByCommand: ({ command }: { readonly command: string }): string => `You can also use \`${command}\`.`,
		closed: ({ reason, ended }: { readonly reason: string; readonly ended: boolean }): string =>
			`${ended ? "⏹️ **Closed**" : "▶️ **Answered**"}: ${reason}`,
		usualReason: "please review the plan of the task.",
	},

	replies: {
		alreadyEnded: ({ end }: { readonly end: string }): string => `This task had already ended: ${end}.`,
		restarted: "Started again as a new task with its own card.",
		stillRunning: "This task has not ended yet. You can retry it when it has ended.",
		alreadyRestarted: "Already started again: see its new card.",
		forgotten: ({ title, state }: { readonly title: string; readonly state: string }): string =>
			`**${title}** has ended (${state}), and the gateway no longer has it.`,
		unknown: "The gateway no longer has this task.",
		startAnother: ({ command }: { readonly command: string }): string =>
			`\`${command}\` starts another task.`,
		emptyReply: "Write the changes that you want, or press **Approve** below the question.",
		newerQuestion: ({ title }: { readonly title: string }): string =>
			`**${title}** has a newer question. Answer that question.`,
		alreadyAnswered: ({ title }: { readonly title: string }): string =>
			`Already answered: **${title}** continues.`,
		ended: ({ title, end }: { readonly title: string; readonly end: string }): string =>
			`**${title}** has ended (${end}). **Retry** starts it again as a new task.`,
		noQuestion: ({ title }: { readonly title: string }): string =>
			`**${title}** has no open question. Wait for its next question, or cancel the task and start a new task.`,
	},
};
