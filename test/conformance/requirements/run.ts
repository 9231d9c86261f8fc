import { onEachWire, ozzie, type Requirement, zot } from "../requirement.ts";

const namesOnly = { cannot: "roz has only the name of a gateway call, without arguments and result" };

export const runRequirements = {
	"run.sent": ozzie(
		"document, send_message",
		"The response to a message is `sent`, immediately. Results are events.",
	),
	"run.accepted": ozzie(
		"ruling 6",
		"`user.message` reports a message when it is accepted, also while it waits.",
	),
	"run.stream": ozzie(
		"document, assistant.stream; ruling 7",
		"A reply with text is a start, deltas that make up the text, and an end, all of index 0.",
		onEachWire,
	),
	"run.todo": ozzie(
		"our own: Events",
		"`todo.updated` has the whole list of steps of a run and the completed share. A client that joins later receives the newest list of an active run.",
		{ zot: { cannot: "zot has no event for it: a list is a `tool_call`" } },
	),
	"run.reply-started": ozzie(
		"our own: Events",
		"`assistant.started` reports the response headers of a model call. It is transient.",
		{ zot: { cannot: "zot has `assistant_start`" } },
	),
	"run.thinking": ozzie(
		"our own: Events",
		"`assistant.thinking` streams the model's thinking. It is transient, and the answer does not contain it.",
		{ zot: { cannot: "zot has `thinking_delta`" } },
	),
	"run.arguments": ozzie(
		"our own: Events",
		"`tool.arguments` streams a call while the model writes it: a start, deltas and an end with the `call_id` of its `tool.call`.",
		{ zot: { cannot: "zot has `tool_use_start`, `tool_use_args` and `tool_use_end`" } },
	),
	"run.arguments-bounded": ozzie(
		"our own: Events",
		"The first 32,768 characters of arguments are streamed. After them, one delta follows for each further 16,384.",
	),
	"run.arguments-redacted": ozzie(
		"security 2.5",
		"Streamed thinking and arguments contain no secret, however the provider splits or escapes them.",
		{ zot: "kept" },
	),
	"run.message": ozzie(
		"document, assistant.message; ruling 7",
		"A run ends with exactly one `assistant.message` with the whole text.",
		onEachWire,
	),
	"run.message-last": ozzie(
		"ruling 7",
		"The message has the text of the last reply, or of the whole run if the last reply has no text.",
	),
	"run.message-failed": ozzie(
		"document, assistant.message; ruling 7",
		"A run whose model fails ends with a message that has the reason as its error.",
		onEachWire,
	),
	"run.message-empty": ozzie("ruling 7", "A run without any text ends with an empty message."),
	"run.blank": ozzie(
		"ruling 14",
		"A blank message is refused with `invalid params: content` and creates no session.",
	),
	"run.queue": ozzie(
		"ruling 6; runtime rule 2",
		"A session has one active run. Further messages wait in order, and the response has their position.",
		{ zot: { cannot: "no event has a position; `queue` lists waiting prompts" } },
	),
	"run.queue-limit": ozzie(
		"runtime rule 2",
		"With 32 waiting messages, the next one is refused with `session busy`.",
	),
	"run.cancel": ozzie(
		"ruling 7",
		"`cancel_turn` ends the active run with the error `cancelled`. Waiting messages stay.",
		onEachWire,
	),
	"run.in-order": ozzie(
		"runtime rule 2",
		"Messages that arrive together are answered in their order, one after the other.",
		onEachWire,
	),
	"run.left": ozzie(
		"runtime rule 5; observed, checklist",
		"A run continues to its end without further messages of its client.",
		onEachWire,
	),
	"run.compact": zot(
		"document, compact",
		"A client can replace the transcript with a summary, and the session continues with it.",
		{ ozzie: { cannot: "no method requests it: sessions are compacted when their window is full" } },
	),
	"run.cancel-queued": ozzie(
		"ruling 7",
		"With `queued`, waiting messages are cancelled too, each with its own message.",
	),
	"run.cancel-tool": ozzie(
		"ruling 8",
		"A cancel stops the running tool with all its processes, and its call fails.",
	),
	"run.steer": ozzie(
		"ruling 12",
		"`steer` adds a message to the active run, which uses it in its next model call. All clients see it immediately.",
	),
	"run.join": ozzie(
		"our own: Steer and retry",
		"`join_turn` moves a queued message into the active run, which uses it once. Otherwise the message stays in the queue.",
	),
	"run.steer-idle": ozzie(
		"our own: Models, agents and cost",
		"Without an active run, `steer` sends the message as an ordinary message.",
	),
	"run.retry": ozzie(
		"ruling 12",
		"`retry` requests the last reply again, without showing the model the replaced one.",
	),
	"run.retry-nothing": ozzie(
		"our own: Models, agents and cost",
		"`retry` is refused with `not available` in an empty session, and with `session busy` during a run.",
	),
	"run.retrying": ozzie(
		"ruling 12",
		"After a temporary failure of a model call, an event has the reason, the time of the next attempt and its model.",
	),
	"run.time": ozzie(
		"runtime rule 7",
		"A run works at most 30 minutes, without the time in which it waits for people.",
	),

	"tool.call": ozzie(
		"document, tool.call",
		"A call is an event at its start with name and arguments, and at its end with its result or error.",
		{ zot: "kept", kontekst: "kept", roz: namesOnly },
	),
	"tool.paired": ozzie("ruling 8", "Every call that starts ends exactly once with the same `call_id`.", {
		zot: "kept",
		kontekst: { cannot: "a denied call ends the run" },
		roz: namesOnly,
	}),
	"tool.arguments": ozzie("ruling 8", "The arguments are the real ones. `run_command` has `cmd`.", {
		zot: "kept",
		kontekst: "kept",
		roz: namesOnly,
	}),
	"tool.before-prompt": ozzie(
		"document, Conversation with Tool Call",
		"The start of a call is reported before its approval is requested.",
	),
	"tool.output": ozzie(
		"our own: Events",
		"`tool.output` has the output of a running call in complete lines, without secrets. It is transient.",
		{ zot: { cannot: "zot has `tool_progress`" } },
	),
	"tool.environment": ozzie(
		"security ruling 2.8",
		"Commands receive no key and no token of the gateway. If a command finds one elsewhere, its output is redacted.",
	),
	"run.context": ozzie(
		"our own: Messages that were read for a request",
		"Messages that a client has read for a request reach the model once, with the role of each author.",
	),
	"tool.batch": ozzie(
		"runtime rule 3",
		"The calls of one reply are proposed together. They run in its order, each when the calls before it have ended.",
	),
} satisfies Record<string, Requirement>;
