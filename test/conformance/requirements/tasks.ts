import { ozzie, type Requirement } from "../requirement.ts";

export const taskRequirements = {
	"task.submit": ozzie(
		"document, submit_task",
		"`submit_task` has a title, a description and optional fields, and returns the id of the task.",
	),
	"task.implicit": ozzie("our own: Submit a task", "Without an open session, a task creates one."),
	"task.default-tools": ozzie(
		"document, submit_task",
		"A task without `tools` has `run_command`, `git` and `query_memories`.",
	),
	"task.validated": ozzie(
		"document, submit_task",
		"Every field is checked. A value of a wrong type, too long or unknown is refused with the allowed values.",
	),
	"task.check": ozzie(
		"document, check_task",
		"`check_task` returns the state, plan, output, times, usage, parent and owner of a task.",
	),
	"task.unknown": ozzie("ruling 5", "An unknown task is refused with `task not found: ID`."),
	"task.cancel": ozzie(
		"document, cancel_task",
		"`cancel_task` ends a task in any state, with its workers. `task.cancelled` has the reason and the principal.",
	),
	"task.cancel-ended": ozzie(
		"our own: The end of a task",
		"A finished task stays unchanged, and the response has its result.",
	),
	"task.list": ozzie("document, list_tasks", "`list_tasks` returns the tasks of the session, newest first."),
	"task.query": ozzie("ruling 12", "`query_tasks` finds tasks by session, status and parent, page by page."),
	"task.reply": ozzie(
		"document, reply_task",
		"A suspended task shows its plan and continues after `reply_task`, and the feedback reaches the model.",
	),
	"task.reply-once": ozzie(
		"our own: Review a plan",
		"A reply to a closed or unknown question is refused and changes nothing.",
	),
	"task.autonomous": ozzie(
		"our own: Submit a task",
		"An autonomous task requests no reviews. Its calls still require approval.",
	),
	"task.events": ozzie(
		"document, Task Events",
		"The events of a task have the documented keys, its id, and `usage`.",
	),
	"task.usage": ozzie(
		"our own: Submit a task",
		"Events about the progress, suspension or end of a task have the usage of the task and its workers.",
	),
	"task.progress": ozzie(
		"document, task.progress",
		"`percentage` counts completed steps. A task without a plan has one step: 0, then 100.",
	),
	"task.failed": ozzie(
		"document, task.failed",
		"A failure has its error, and `will_retry` only if the task is started again.",
	),
	"task.flow": ozzie("document, Async Task", "The events of a task have the document's order and one end."),
	"task.silent": ozzie(
		"ruling 7",
		"A task sends nothing to the chat of its session: no `assistant.stream`, no `assistant.message`.",
	),
	"task.prompt": ozzie(
		"ruling 9",
		"Approvals of a task are requested in the owning session, with `task_id`.",
	),
	"task.lives-on": ozzie(
		"ruling 11",
		"A task continues without connected clients and after a restart of the gateway.",
	),
	"task.depends": ozzie(
		"our own: The end of a task",
		"A task starts when its dependencies are completed, and fails with the reason if one is not.",
	),
	"task.workers": ozzie("our own: Events of a task", "Workers are children of their task and end with it."),
	"task.retry": ozzie("our own: The end of a task", "`retry_task` submits a finished task again."),
	"task.keys": ozzie("ruling 12", "Task methods that change something accept a key."),
	"task.conversation": ozzie(
		"our own: Events of a task",
		"The session of a task can be read. It cannot be opened, written to or listed.",
	),
	"task.rights": ozzie(
		"our own: Submit a task",
		"A principal that may not see a session finds none of its tasks. One that may only read cannot reply and sees no tokens.",
	),
	"task.person": ozzie(
		"ruling 12",
		"A connector submits and steers tasks for a member, in that member's channel.",
	),
	"task.envelope": ozzie(
		"ruling 1",
		"In the envelope for Go clients, long descriptions are cut, and `load_messages` returns the complete text.",
	),
} satisfies Record<string, Requirement>;
