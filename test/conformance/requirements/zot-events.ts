import { type Requirement, zot } from "../requirement.ts";

/** What each event says, and the shape of messages. */
export const zotEventRequirements = {
	"zot.event-form": zot(
		"document, Events",
		"Every event has its documented fields, of their types; only calls and questions have an `id`.",
	),
	"zot.request-id": zot(
		"ruling 10",
		"Every event has the `id` of its prompt as `request_id`, where it has one.",
	),
	"zot.user-message": zot(
		"document, Events",
		"`user_message` tells the prompt as it is in the transcript, with its time.",
	),
	"zot.turn-start": zot(
		"document, Events; observed, 4",
		"`turn_start` begins every model call and counts them from 1, anew for each prompt.",
	),
	"zot.assistant-start": zot(
		"document, Events; ruling 11",
		"`assistant_start` comes once before a reply is streamed, when the response headers are there.",
	),
	"zot.text-delta": zot("document, Events", "The deltas of a reply are its text."),
	"zot.thinking": zot(
		"ruling 11; observed, 4",
		"`thinking_delta` shows what a model thinks while it does. Thinking is not in messages or the transcript.",
	),
	"zot.tool-use": zot(
		"ruling 11; observed, 4",
		"`tool_use_start`, `tool_use_args` and `tool_use_end` show a call while the model writes it, with the `id` of its `tool_call`.",
	),
	"zot.tool-call": zot(
		"document, Events",
		"`tool_call` tells id, name and arguments of a call, as the model wants it.",
	),
	"zot.tool-call-broken": zot(
		"observed, 4.2",
		"A call whose arguments are no JSON has `args: null`, and fails; the prompt goes on.",
	),
	"zot.tool-progress": zot(
		"document, Events; issue",
		"`tool_progress` tells whole lines of what a command writes while it runs.",
	),
	"zot.tool-result": zot(
		"document, Events",
		"`tool_result` tells what came of a call, and whether it failed.",
	),
	"zot.tool-unknown": zot(
		"observed, 4.2",
		"A call of a tool that is not there fails, and the prompt goes on.",
	),
	"zot.tools": zot(
		"ruling 7; issue",
		"The tools are `read`, `write`, `edit` and `bash`, and take the parameters that clients know.",
	),
	"zot.assistant-message": zot(
		"document, Events; observed, 4",
		"`assistant_message` tells a whole reply with its calls, when it has ended.",
	),
	"zot.usage": zot(
		"document, Events; ruling 9",
		"`usage` tells the tokens of a model call and what it cost, to a billionth of a dollar; what caches took is no input.",
	),
	"zot.usage-cumulative": zot(
		"document, Events; observed, 7",
		"`cumulative` and `get_state` add up all calls of the process, also over `clear`.",
	),
	"zot.usage-zero": zot("ruling 9", "Every figure is there, also where a model costs nothing."),
	"zot.usage-auxiliary": zot("observed, 14", "What a summary took is counted, and marked as `auxiliary`."),
	"zot.usage-table": zot("ruling 9", "Costs come from the model table, which the user can extend."),
	"zot.turn-end": zot(
		"document, Events; ruling 2",
		"`turn_end` ends every model call, with one of the five documented stops.",
	),
	"zot.done": zot(
		"document, Events; ruling 2",
		"`done` ends every prompt and every compaction, exactly once, whatever happened.",
	),
	"zot.error": zot(
		"document, Events",
		"`error` says in `message` what went wrong with the prompt, before its `done`.",
	),
	"zot.compact-done": zot("document, Events", "`compact_done` tells the summary."),
	"zot.frame-limit": zot(
		"ruling 10",
		"No line reaches 16 MiB: of a longer transcript the newest messages are told, and how many are left out.",
	),

	"zot.message-shape": zot(
		"document, Message shape",
		"A message has its role, its content and its time; in events it has no role.",
	),
	"zot.message-blocks": zot(
		"document, Content block types",
		"Its blocks are texts, pictures, calls, and results of calls, with the documented fields.",
	),
	"zot.message-images": zot(
		"document, Content block types",
		"A picture is told by its type and the number of its bytes.",
	),
	"zot.result-images": zot(
		"document, Content block types; observed, 6",
		"A picture that a tool has read reaches the model, and its result tells it by its type and the number of its bytes.",
	),
	"zot.result-images-kept": zot(
		"document, Content block types",
		"It is in the conversation of the next process, too; where the model's service refuses it, the prompt goes on without.",
	),
	"zot.message-time": zot("document, Message shape", "Times are RFC 3339 in UTC."),
} satisfies Record<string, Requirement>;
