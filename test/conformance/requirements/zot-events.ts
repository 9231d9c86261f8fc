import { type Requirement, zot } from "../requirement.ts";

export const zotEventRequirements = {
	"zot.event-form": zot(
		"document, Events",
		"Every event has its documented fields with their types. Only calls and questions have an `id`.",
	),
	"zot.request-id": zot("ruling 10", "Every event has the `id` of its prompt, if any, as `request_id`."),
	"zot.user-message": zot(
		"document, Events",
		"`user_message` has the prompt as in the transcript, with its time.",
	),
	"zot.turn-start": zot(
		"document, Events; observed, 4",
		"`turn_start` begins every model call and counts from 1 for each prompt.",
	),
	"zot.assistant-start": zot(
		"document, Events; ruling 11",
		"`assistant_start` is sent once before a streamed reply, when the response headers arrive.",
	),
	"zot.text-delta": zot("document, Events", "The deltas of a reply add up to its text."),
	"zot.thinking": zot(
		"ruling 11; observed, 4",
		"`thinking_delta` streams the model's thinking. Messages and the transcript do not contain it.",
	),
	"zot.tool-use": zot(
		"ruling 11; observed, 4",
		"`tool_use_start`, `tool_use_args` and `tool_use_end` stream a call while the model writes it, with the `id` of its `tool_call`.",
	),
	"zot.tool-call": zot(
		"document, Events",
		"`tool_call` has id, name and arguments of a call as the model wrote it.",
	),
	"zot.tool-call-broken": zot(
		"observed, 4.2",
		"A call with arguments that are not JSON has `args: null` and fails. The prompt continues.",
	),
	"zot.tool-progress": zot(
		"document, Events; issue",
		"`tool_progress` has whole lines of a command's output while it runs.",
	),
	"zot.tool-result": zot("document, Events", "`tool_result` has the result of a call and whether it failed."),
	"zot.tool-unknown": zot("observed, 4.2", "A call of an unknown tool fails, and the prompt continues."),
	"zot.tools": zot(
		"ruling 7; issue",
		"The tools are `read`, `write`, `edit` and `bash`, with the parameters that clients know.",
	),
	"zot.assistant-message": zot(
		"document, Events; observed, 4",
		"`assistant_message` has a whole reply with its calls after it ended.",
	),
	"zot.usage": zot(
		"document, Events; ruling 9",
		"`usage` has the tokens and the cost of a model call, to a billionth of a dollar. Cached tokens are not input.",
	),
	"zot.usage-cumulative": zot(
		"document, Events; observed, 7",
		"`cumulative` and `get_state` have the totals of the process, also after `clear`.",
	),
	"zot.usage-zero": zot("ruling 9", "Every number is present, also for a free model."),
	"zot.usage-auxiliary": zot("observed, 14", "The usage of a summary is counted and marked `auxiliary`."),
	"zot.usage-table": zot("ruling 9", "Costs come from the model table, which the user can extend."),
	"zot.turn-end": zot(
		"document, Events; ruling 2",
		"`turn_end` ends every model call with one of the five documented stop reasons.",
	),
	"zot.done": zot(
		"document, Events; ruling 2",
		"`done` ends every prompt and every compaction exactly once, in all cases.",
	),
	"zot.error": zot(
		"document, Events",
		"`error` has the failure of the prompt in `message`, before its `done`.",
	),
	"zot.compact-done": zot("document, Events", "`compact_done` has the summary."),
	"zot.frame-limit": zot(
		"ruling 10",
		"No line reaches 16 MiB. A longer transcript has its newest messages and the number of omitted ones.",
	),

	"zot.message-shape": zot(
		"document, Message shape",
		"A message has role, content and time. In events it has no role.",
	),
	"zot.message-blocks": zot(
		"document, Content block types",
		"Blocks are texts, images, calls and results of calls, with the documented fields.",
	),
	"zot.message-images": zot(
		"document, Content block types",
		"An image is described by its type and size in bytes.",
	),
	"zot.result-images": zot(
		"document, Content block types; observed, 6",
		"An image that a tool read reaches the model, and its result has its type and size in bytes.",
	),
	"zot.result-images-stored": zot(
		"document, Content block types",
		"The next process has the image in the conversation. If the model refuses it, the prompt continues without it.",
	),
	"zot.message-time": zot("document, Message shape", "Times are RFC 3339 in UTC."),
} satisfies Record<string, Requirement>;
