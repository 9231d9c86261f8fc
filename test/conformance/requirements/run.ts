import { onEachWire, ozzie, type Requirement, zot } from "../requirement.ts";

/** A call of a tool of the gateway is a state, and its results reach the client only in the words of the model. */
const namesOnly = { cannot: "roz shows the name of a call of the gateway, neither arguments nor result" };

export const runRequirements = {
	"run.sent": ozzie(
		"document, send_message",
		"A message is answered `sent` at once; what comes of it are events.",
	),
	"run.accepted": ozzie(
		"ruling 6",
		"`user.message` tells everybody of a message when it is accepted, also while it waits.",
	),
	"run.stream": ozzie(
		"document, assistant.stream; ruling 7",
		"A reply with text is a start, deltas that make up the text, and an end, all of index 0.",
		onEachWire,
	),
	"run.todo": ozzie(
		"our own: Events",
		"`todo.updated` tells the whole list of steps of a run, with the share of completed steps. A client that joins later gets the newest list of a run at work.",
		{ zot: { cannot: "zot has no event for it: a list is a `tool_call`" } },
	),
	"run.reply-started": ozzie(
		"our own: Events",
		"`assistant.started` tells that the response headers of a model call are there. It is transient.",
		{ zot: { cannot: "zot tells it with `assistant_start`" } },
	),
	"run.thinking": ozzie(
		"our own: Events",
		"`assistant.thinking` shows what a model thinks while it does. It is transient, and the answer does not have it.",
		{ zot: { cannot: "zot tells it with `thinking_delta`" } },
	),
	"run.arguments": ozzie(
		"our own: Events",
		"`tool.arguments` shows a call while the model writes it: a start, deltas and an end with the `call_id` of its `tool.call`.",
		{ zot: { cannot: "zot tells it with `tool_use_start`, `tool_use_args` and `tool_use_end`" } },
	),
	"run.arguments-bounded": ozzie(
		"our own: Events",
		"Of long arguments 32,768 characters are shown while they are written, then one delta for each further 16,384.",
	),
	"run.arguments-redacted": ozzie(
		"security 2.5",
		"No secret is in a thought or in arguments while they are written, however the provider cuts or escapes them.",
		{ zot: "kept" },
	),
	"run.message": ozzie(
		"document, assistant.message; ruling 7",
		"A run ends with exactly one `assistant.message` with the whole text.",
		onEachWire,
	),
	"run.message-last": ozzie(
		"ruling 7",
		"The message has the text of the last reply, or of the whole run where the last one has none.",
	),
	"run.message-failed": ozzie(
		"document, assistant.message; ruling 7",
		"A run whose model fails ends with a message whose error says why.",
		onEachWire,
	),
	"run.message-empty": ozzie("ruling 7", "A run without any text ends with an empty message."),
	"run.blank": ozzie(
		"ruling 14",
		"A blank message is refused with `invalid params: content` and creates no session.",
	),
	"run.queue": ozzie(
		"ruling 6; runtime rule 2",
		"One run at a time: further messages wait in order and are told their place.",
		{ zot: { cannot: "nothing tells a place; `queue` shows what waits" } },
	),
	"run.queue-limit": ozzie(
		"runtime rule 2",
		"When 32 messages wait, the next one is refused with `session busy`.",
	),
	"run.cancel": ozzie(
		"ruling 7",
		"`cancel_turn` ends the active run with the error `cancelled`; messages that wait stay.",
		onEachWire,
	),
	"run.in-order": ozzie(
		"runtime rule 2",
		"What was said together is answered in its order, one after the other.",
		onEachWire,
	),
	"run.left": ozzie(
		"runtime rule 5; observed, checklist",
		"A run goes on to its end although its client says no more.",
		onEachWire,
	),
	"run.compact": zot(
		"document, compact",
		"A client can have a summary put in the place of what was said, and the conversation goes on with it.",
		{ ozzie: { cannot: "no message asks for it: sessions are compacted when their window is full" } },
	),
	"run.cancel-queued": ozzie(
		"ruling 7",
		"With `queued` the waiting messages are cancelled too, each with its own message.",
	),
	"run.cancel-tool": ozzie(
		"ruling 8",
		"A cancel stops the tool that runs, with all its processes, and its call fails.",
	),
	"run.steer": ozzie(
		"ruling 12",
		"`steer` says something to the run at work, which takes it into its next model call; everybody is told at once.",
	),
	"run.steer-idle": ozzie(
		"our own: Models, agents and money",
		"Where no run is at work, `steer` sends the message like any other.",
	),
	"run.retry": ozzie(
		"ruling 12",
		"`retry` makes the last reply again, without showing the model what is replaced.",
	),
	"run.retry-nothing": ozzie(
		"our own: Models, agents and money",
		"`retry` is refused with `not available` where nothing was said yet, with `session busy` where a run is at work.",
	),
	"run.retrying": ozzie(
		"ruling 12",
		"When a model call fails in passing, everybody learns why and when it is made again, and by which model.",
	),
	"run.time": ozzie(
		"runtime rule 7",
		"A run works 30 minutes at most, not counting the time in which it waits for people.",
	),

	"tool.call": ozzie(
		"document, tool.call",
		"A call is shown when it starts, with name and arguments, and when it ends, with its result or error.",
		{ zot: "kept", kontekst: "kept", roz: namesOnly },
	),
	"tool.paired": ozzie("ruling 8", "Every call that starts ends exactly once, under the same `call_id`.", {
		zot: "kept",
		kontekst: { cannot: "a denied call ends the run" },
		roz: namesOnly,
	}),
	"tool.arguments": ozzie("ruling 8", "The arguments are the real ones; `run_command` takes `cmd`.", {
		zot: "kept",
		kontekst: "kept",
		roz: namesOnly,
	}),
	"tool.before-prompt": ozzie(
		"document, Conversation with Tool Call",
		"A call is shown as started before its approval is asked for.",
	),
	"tool.environment": ozzie(
		"security ruling 2.8",
		"Commands get no key and no token of the gateway, and what finds them elsewhere shows them to nobody.",
	),
	"tool.batch": ozzie(
		"runtime rule 3",
		"The calls of one reply are proposed together. They run in its order, each when the calls before it have ended.",
	),
} satisfies Record<string, Requirement>;
