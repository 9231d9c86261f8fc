import { ozzie, type Requirement } from "../requirement.ts";

export const taskRequirements = {
	"task.submit": ozzie(
		"document, submit_task",
		"`submit_task` takes a title and a description, and what else is said, and answers with the task's id.",
	),
	"task.implicit": ozzie(
		"our own, A task from its submission to its end",
		"Without an open session a task gets one.",
	),
	"task.default-tools": ozzie(
		"document, submit_task",
		"A task without `tools` has `run_command`, `git` and `query_memories`.",
	),
	"task.validated": ozzie(
		"document, submit_task",
		"Every field is checked: what is no text, too long or not there is refused with what is allowed.",
	),
	"task.check": ozzie(
		"document, check_task",
		"`check_task` tells where a task stands, its plan, output, times, usage, parent and owner.",
	),
	"task.unknown": ozzie("ruling 5", "A task that is not there is refused as `task not found: ID`."),
	"task.cancel": ozzie(
		"document, cancel_task",
		"`cancel_task` ends a task in whatever state, with its workers, and `task.cancelled` tells the reason, and by whom.",
	),
	"task.cancel-ended": ozzie(
		"our own, The end of a task",
		"A task that has ended stays as it is, and the answer says how it ended.",
	),
	"task.list": ozzie("document, list_tasks", "`list_tasks` has the tasks of the session, newest first."),
	"task.query": ozzie("ruling 12", "`query_tasks` finds tasks by session, status and parent, page by page."),
	"task.reply": ozzie(
		"document, reply_task",
		"A suspended task shows its plan and goes on after `reply_task`, and the feedback reaches the model.",
	),
	"task.reply-once": ozzie(
		"our own, A plan that somebody looks at",
		"A reply to another question than the one that is open, or to none, is refused and changes nothing.",
	),
	"task.autonomous": ozzie(
		"our own, A task from its submission to its end",
		"An autonomous task asks for no reviews; its calls are asked about all the same.",
	),
	"task.events": ozzie(
		"document, Task Events",
		"The events of a task have the documented keys and its id, and beside them `usage` alone.",
	),
	"task.usage": ozzie(
		"our own, A task from its submission to its end",
		"Where a task tells how far it is, that it waits or how it ended, it tells what it and its workers have used.",
	),
	"task.progress": ozzie(
		"document, task.progress",
		"`percentage` counts completed steps; a task without a plan has one step, 0 and then 100.",
	),
	"task.failed": ozzie(
		"document, task.failed",
		"A failure tells its error, and `will_retry` only where the task is started again.",
	),
	"task.flow": ozzie(
		"document, Async Task",
		"The events of a task come in the document's order, with one end.",
	),
	"task.silent": ozzie(
		"ruling 7",
		"A task says nothing in the chat of its session: no `assistant.stream`, no `assistant.message`.",
	),
	"task.prompt": ozzie(
		"ruling 9",
		"What a task needs approval for is asked in the session that owns it, with `task_id`.",
	),
	"task.lives-on": ozzie(
		"ruling 11",
		"A task goes on when nobody is connected, and after a restart of the gateway.",
	),
	"task.depends": ozzie(
		"our own, The end of a task",
		"A task starts when those it needs are completed, and fails with the reason where one is not.",
	),
	"task.workers": ozzie(
		"our own, What a task says and does",
		"Workers are tasks below their task, and end with it.",
	),
	"task.retry": ozzie("our own, The end of a task", "`retry_task` submits a task that has ended once more."),
	"task.keys": ozzie("ruling 12", "The methods of tasks that change something take a key."),
	"task.conversation": ozzie(
		"our own, What a task says and does",
		"The conversation of a task can be read, but not opened or spoken in, nor is it listed.",
	),
	"task.rights": ozzie(
		"our own, A task from its submission to its end",
		"Who may not see a session finds none of its tasks; who may only read replies to none and sees no tokens.",
	),
	"task.person": ozzie(
		"ruling 12",
		"A connector submits and steers tasks for a person who is a member, in the channel they are in.",
	),
	"task.envelope": ozzie(
		"ruling 1",
		"In the envelope for Go clients long descriptions are cut, and `load_messages` has the whole.",
	),
} satisfies Record<string, Requirement>;
