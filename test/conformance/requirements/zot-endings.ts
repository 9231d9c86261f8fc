import { type Requirement, zot } from "../requirement.ts";

export const zotEndingRequirements = {
	"zot.order": zot(
		"ruling 2; observed, 4.1",
		"A model call is sent as `turn_start`, `assistant_start`, deltas, `usage`, `assistant_message`, calls, `turn_end`.",
	),
	"zot.order-tools": zot(
		"ruling 2; observed, 4.1",
		"Calls run after the `turn_end` with `tool_use`. Each has its result before the next model call.",
	),
	"zot.order-batch": zot(
		"runtime rule 3",
		"All calls of a reply are sent before the first one runs. Results arrive in their order.",
	),
	"zot.started-first": zot(
		"ruling 4; observed, checklist",
		"The response of a prompt is sent when it starts, before its events and after those of the previous prompt.",
	),
	"zot.fifo": zot(
		"document, Process model; ruling 4",
		"Prompts and compactions run one at a time in their order.",
	),
	"zot.queue-full": zot(
		"our own: A prompt",
		"After 64 waiting prompts the next one is refused, and the waiting ones are answered.",
	),
	"zot.end-error": zot(
		"document, Events; observed, 4.2",
		"A request that the model refuses ends the prompt: `turn_end` with `error`, `error` with the same text, `done`.",
	),
	"zot.end-error-late": zot(
		"observed, 4.2",
		"If a model fails after a part of its reply, that part is sent with its usage, then the error.",
	),
	"zot.end-cut-off": zot("observed, 13", "A dropped connection is never reported as a complete reply."),
	"zot.end-retried": zot(
		"observed, 10",
		"A model call that fails temporarily is repeated, each with its own `turn_start` and `turn_end`.",
	),
	"zot.end-after-error": zot("observed, 13", "After an error the next prompt is answered normally."),
	"zot.end-length": zot(
		"document, Events; observed, 4.2",
		"A truncated reply ends with `length` and no error.",
	),
	"zot.end-length-call": zot(
		"observed, 13",
		"A truncated call does not run, and the next request is still complete.",
	),
	"zot.end-refusal": zot(
		"observed, 13",
		"A model that refuses to answer ends the prompt with an error that states the refusal.",
	),
	"zot.end-steps": zot(
		"observed, 4.2",
		"A limit of steps ends a prompt after the last results with `error`, `done`.",
	),
	"zot.abort-streaming": zot(
		"document, abort; observed, 4.2",
		"An abort during a streamed reply keeps the received part and ends with `aborted`, `done` and no error.",
	),
	"zot.abort-first": zot(
		"ruling 4",
		"An abort before the first part of a reply ends with `aborted`, `done`.",
	),
	"zot.abort-tool": zot(
		"ruling 4",
		"An abort during a tool kills all its processes. Its call fails, a turn that ends with `aborted` follows, then `done`.",
	),
	"zot.abort-batch": zot("ruling 4", "An abort skips the calls of the reply that have not started."),
	"zot.abort-compact": zot(
		"document, abort; departures",
		"An abort of a compaction leaves the transcript unchanged, and `done` follows.",
	),
	"zot.compact-fails": zot(
		"ruling 2",
		"A compaction whose model fails ends with `error`, `done` and changes nothing.",
	),
} satisfies Record<string, Requirement>;
