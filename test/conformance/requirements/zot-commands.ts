import { type Requirement, zot } from "../requirement.ts";

export const zotCommandRequirements = {
	"zot.hello": zot(
		"document, hello",
		"The response to `hello` has the protocol version (1), the program version, the provider and the model.",
	),
	"zot.hello-any-time": zot(
		"document, hello; observed, 3",
		"If no token is required, `hello` is accepted at any time, repeatedly, and with any token.",
	),
	"zot.prompt": zot(
		"document, prompt",
		"The response to `prompt` has `started: true`, and events follow until `done`.",
	),
	"zot.prompt-images": zot(
		"document, prompt; observed, 6",
		"The images of a prompt reach the model. A missing list, an empty list and null are equal.",
	),
	"zot.prompt-empty": zot("observed, 13", "An empty prompt is refused, and no turn starts."),
	"zot.abort": zot(
		"document, abort; observed, checklist",
		"`abort` always succeeds without data, also if no prompt is active.",
	),
	"zot.abort-queue": zot(
		"document, Process model; ruling 4",
		"`abort` ends the active prompt only, and waiting prompts start.",
	),
	"zot.abort-pipelined": zot(
		"ruling 4",
		"An `abort` in one write with its prompt, or between two prompts, ends the prompt before it.",
	),
	"zot.compact": zot(
		"document, compact",
		"`compact` replaces the transcript with one user message and returns its summary.",
	),
	"zot.compact-model": zot(
		"document, compact",
		"After `compact` the model receives the summary and later messages.",
	),
	"zot.compact-end": zot(
		"document, compact; ruling 2",
		"A compaction is answered like a prompt and ends with `compact_done` and then `done`.",
	),
	"zot.compact-nothing": zot(
		"ruling 2",
		"A compaction of an empty transcript ends with `error` and then `done`.",
	),
	"zot.state": zot(
		"document, get_state",
		"`get_state` returns provider, model, directory, number of messages, activity and total usage.",
	),
	"zot.state-busy": zot(
		"observed, checklist",
		"State, messages and `ping` are answered immediately during a prompt.",
	),
	"zot.messages": zot(
		"document, get_messages",
		"`get_messages` returns the whole transcript, which is empty at first.",
	),
	"zot.clear": zot(
		"document, clear; observed, 3",
		"`clear` removes the whole transcript. Model and usage stay.",
	),
	"zot.clear-busy": zot(
		"ruling 5",
		"`clear`, `set_model` and `set_reasoning` during a prompt fail with `agent is busy` and change nothing.",
	),
	"zot.set-model": zot(
		"document, set_model; observed, 3",
		"`set_model` changes the model of later prompts and returns it.",
	),
	"zot.set-model-unknown": zot(
		"ruling 5",
		"An unknown model is refused with similar names, and nothing changes.",
	),
	"zot.set-model-served": zot(
		"document, set_model; issue",
		"With `--base-url`, a model that the server does not list is refused with the listed ones. Without a list, any model is accepted.",
	),
	"zot.set-model-provider": zot("document, set_model", "A model of another provider is refused."),
	"zot.models": zot(
		"document, get_models; ruling 9",
		"`get_models` returns the provider's models with window, maximum reply and thinking, including the user's own.",
	),
	"zot.ping": zot("document, ping", "The response to `ping` has `pong: true`."),
	"zot.set-reasoning": zot(
		"issue; observed, 14",
		"`set_reasoning` sets the reasoning effort of later prompts.",
	),
	"zot.queue": zot(
		"issue; observed, 14",
		"`queue` returns the active prompt and the waiting ones in their order.",
	),
	"zot.cancel-queued": zot(
		"issue; observed, 14",
		"`cancel_queued` cancels a waiting prompt, which is answered with a failure. An unknown id fails.",
	),
	"zot.approve": zot(
		"ruling 7; observed, 14",
		"With `--rpc-approvals`, a call that requires approval causes an `ask` and runs after `approve` allows it.",
	),
	"zot.approve-no": zot("observed, 14", "A call that is not allowed fails with the given reason."),
	"zot.approve-unknown": zot(
		"observed, 14",
		"An answer to a question that is not open is refused with its id.",
	),
	"zot.approve-abort": zot(
		"observed, 14",
		"`abort` ends a prompt with an open question, and the call does not run.",
	),
	"zot.approve-together": zot(
		"runtime rules 3 and 5",
		"All questions about the calls of a reply are open before the first answer, and answers are accepted in any order.",
	),
	"zot.approve-again": zot(
		"runtime rules 3 and 5; security 2.5",
		"A command whose files were changed by another call of its reply requires a new approval.",
	),
	"zot.no-approvals": zot("ruling 7", "Without `--rpc-approvals`, tools run without approval."),
	"zot.floor": zot(
		"ruling 7; departures",
		"A call that always requires approval is refused with the reason without `--rpc-approvals`. With it, the client is asked.",
	),
} satisfies Record<string, Requirement>;
