import { type Requirement, zot } from "../requirement.ts";

/** The order of events, however a prompt ends. */
export const zotEndingRequirements = {
	"zot.order": zot(
		"ruling 2; observed, 4.1",
		"A model call is told as `turn_start`, `assistant_start`, deltas, `usage`, `assistant_message`, calls, `turn_end`.",
	),
	"zot.order-tools": zot(
		"ruling 2; observed, 4.1",
		"Calls run behind the `turn_end` with `tool_use`; each has its result before the next model call.",
	),
	"zot.order-batch": zot(
		"runtime rule 3",
		"The calls of one reply are all told before the first one runs; results come in their order.",
	),
	"zot.started-first": zot(
		"ruling 4; observed, checklist",
		"The response of a prompt comes when it starts, before all its events and behind those of the one before.",
	),
	"zot.fifo": zot(
		"document, Process model; ruling 4",
		"Prompts and compactions run one at a time, in their order.",
	),
	"zot.queue-full": zot(
		"our own: A prompt",
		"Behind 64 that wait the next prompt is refused, and those that wait are answered.",
	),
	"zot.end-error": zot(
		"document, Events; observed, 4.2",
		"A model that refuses the request ends the prompt: `turn_end` with `error`, `error` with the same text, `done`.",
	),
	"zot.end-error-late": zot(
		"observed, 4.2",
		"A model that fails after a part of its reply: that part is told with its usage, then the error.",
	),
	"zot.end-cut-off": zot("observed, 13", "A connection that breaks off is never told as a whole reply."),
	"zot.end-retried": zot(
		"observed, 10",
		"A model call that fails in passing is made again, each with its own `turn_start` and `turn_end`.",
	),
	"zot.end-after-error": zot(
		"observed, 13",
		"After an error the next prompt is answered as if nothing had been.",
	),
	"zot.end-length": zot(
		"document, Events; observed, 4.2",
		"A reply that was cut off ends with `length` and no error.",
	),
	"zot.end-length-call": zot(
		"observed, 13",
		"A call that was cut off is not carried out, and the next request is whole all the same.",
	),
	"zot.end-refusal": zot(
		"observed, 13",
		"A model that refuses to answer ends the prompt with an error, and says so.",
	),
	"zot.end-steps": zot(
		"observed, 4.2",
		"A limit of steps ends a prompt behind the last results with `error`, `done`.",
	),
	"zot.abort-streaming": zot(
		"document, abort; observed, 4.2",
		"An abort while a reply is streamed keeps what came of it, and ends with `aborted`, `done` and no error.",
	),
	"zot.abort-first": zot(
		"ruling 4",
		"An abort before anything of a reply has come ends with `aborted`, `done`.",
	),
	"zot.abort-tool": zot(
		"ruling 4",
		"An abort while a tool runs kills all its processes; its call fails, and a turn that ends with `aborted` follows, then `done`.",
	),
	"zot.abort-batch": zot("ruling 4", "An abort skips the calls of the reply that have not begun."),
	"zot.abort-compact": zot(
		"document, abort; departures",
		"An abort of a compaction changes nothing of the transcript, and `done` follows.",
	),
	"zot.compact-fails": zot(
		"ruling 2",
		"A compaction whose model fails ends with `error`, `done`, and changes nothing.",
	),
} satisfies Record<string, Requirement>;
