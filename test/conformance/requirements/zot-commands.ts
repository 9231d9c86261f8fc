import { type Requirement, zot } from "../requirement.ts";

/** What each command does, and what its response says. */
export const zotCommandRequirements = {
	"zot.hello": zot(
		"document, hello",
		"`hello` is answered with the version of the protocol (1), of the program, the provider and the model.",
	),
	"zot.hello-any-time": zot(
		"document, hello; observed, 3",
		"Where no token is wanted, `hello` may come at any time, as often as one likes, with any token.",
	),
	"zot.prompt": zot(
		"document, prompt",
		"`prompt` is answered with `started: true`, and then events come until `done`.",
	),
	"zot.prompt-images": zot(
		"document, prompt; observed, 6",
		"The pictures of a prompt reach the model; none, an empty list and null are the same.",
	),
	"zot.prompt-empty": zot("observed, 13", "A prompt that says nothing is refused, and nothing starts."),
	"zot.abort": zot(
		"document, abort; observed, checklist",
		"`abort` always succeeds, without data, also where nothing is at work.",
	),
	"zot.abort-queue": zot(
		"document, Process model; ruling 4",
		"`abort` ends the prompt at work alone; those that wait start then.",
	),
	"zot.abort-pipelined": zot(
		"ruling 4",
		"An `abort` in one write with its prompt, and between two prompts, ends the prompt before it.",
	),
	"zot.compact": zot(
		"document, compact",
		"`compact` puts one message of the user in the place of all that was said, and tells its summary.",
	),
	"zot.compact-model": zot(
		"document, compact",
		"After `compact` the model is shown the summary and what follows.",
	),
	"zot.compact-end": zot(
		"document, compact; ruling 2",
		"A compaction is answered like a prompt, and ends with `compact_done` and then `done`.",
	),
	"zot.compact-nothing": zot("ruling 2", "With nothing to compact, it ends with `error` and then `done`."),
	"zot.state": zot(
		"document, get_state",
		"`get_state` tells provider, model, directory, number of messages, whether a prompt is at work, and the usage so far.",
	),
	"zot.state-busy": zot(
		"observed, checklist",
		"State, messages and `ping` are answered at once while a prompt is at work.",
	),
	"zot.messages": zot(
		"document, get_messages",
		"`get_messages` tells the whole transcript, an empty list at first.",
	),
	"zot.clear": zot(
		"document, clear; observed, 3",
		"`clear` drops the whole transcript; model and usage stay as they are.",
	),
	"zot.clear-busy": zot(
		"ruling 5",
		"`clear`, `set_model` and `set_reasoning` during a prompt fail with `agent is busy` and change nothing.",
	),
	"zot.set-model": zot(
		"document, set_model; observed, 3",
		"`set_model` changes the model of the prompts that follow, and says which it is.",
	),
	"zot.set-model-unknown": zot(
		"ruling 5",
		"A model that is not known is refused, naming those that are near, and nothing changes.",
	),
	"zot.set-model-served": zot(
		"document, set_model; issue",
		"With `--base-url` a model that the server does not list is refused with those that it does; without a list any is taken.",
	),
	"zot.set-model-provider": zot("document, set_model", "A model of another provider is refused."),
	"zot.models": zot(
		"document, get_models; ruling 9",
		"`get_models` lists the provider's models with window, longest reply, and whether they think; the user's own among them.",
	),
	"zot.ping": zot("document, ping", "`ping` is answered with `pong: true`."),
	"zot.set-reasoning": zot(
		"issue; observed, 14",
		"`set_reasoning` says how much the prompts that follow think.",
	),
	"zot.queue": zot(
		"issue; observed, 14",
		"`queue` lists the prompt at work and those that wait, in their order.",
	),
	"zot.cancel-queued": zot(
		"issue; observed, 14",
		"`cancel_queued` takes one back that waits, which is answered with a failure; of another id it fails.",
	),
	"zot.approve": zot(
		"ruling 7; observed, 14",
		"With `--rpc-approvals` a call that the rules ask about is asked about with `ask`, and runs when `approve` allows it.",
	),
	"zot.approve-no": zot("observed, 14", "A call that is not allowed fails with the reason that was given."),
	"zot.approve-unknown": zot(
		"observed, 14",
		"An answer to a question that is not open is refused by its id.",
	),
	"zot.approve-abort": zot(
		"observed, 14",
		"`abort` ends a prompt whose question is open, and the call does not run.",
	),
	"zot.approve-together": zot(
		"runtime rules 3 and 5",
		"All questions about the calls of a reply are open before the first answer, and answers are accepted in any order.",
	),
	"zot.approve-again": zot(
		"runtime rules 3 and 5; security 2.5",
		"A command whose files another call of its reply changed is asked again.",
	),
	"zot.unasked": zot("ruling 7", "Without `--rpc-approvals` tools run without asking."),
	"zot.floor": zot(
		"ruling 7; departures",
		"What is always asked about is refused without `--rpc-approvals`, saying why, and asked about with it.",
	),
} satisfies Record<string, Requirement>;
