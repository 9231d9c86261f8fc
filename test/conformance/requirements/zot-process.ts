import { type Requirement, zot } from "../requirement.ts";

/**
 * The process: how it starts, what its flags say, how it ends. Of the document these sentences promise a client nothing
 * that could be tried here: which languages it can be used from, its links to the SDK and to clients of its own, and that
 * whoever can start the process can read its credentials.
 */
export const zotProcessRequirements = {
	"zot.quick-start": zot(
		"document, Quick start",
		"A prompt that is piped in gets a response, events, and `done`, one object a line.",
	),
	"zot.one-of-each": zot(
		"document, Process model; ruling 1",
		"One process is one directory, one model, one session: its prompts are one conversation.",
	),
	"zot.many": zot(
		"document, Process model",
		"Several processes work side by side and know nothing of each other.",
	),
	"zot.input-ends": zot(
		"document, Process model; ruling 8",
		"When its input ends, a process that has nothing to do exits with 0.",
	),
	"zot.input-ends-busy": zot(
		"ruling 8; departures",
		"When the input ends, the prompt at work and those that wait are finished first.",
	),
	"zot.input-ends-ask": zot(
		"ruling 8; observed, 14",
		"A question that is open when the input ends is answered with no, and the prompt goes on.",
	),
	"zot.silent-start": zot("observed, checklist", "Nothing is written before the first command came."),
	"zot.stdout": zot("observed, checklist", "Stdout carries lines of the protocol alone; logs go to stderr."),
	"zot.start-error": zot(
		"ruling 1",
		"What is wrong with the start is told in one line on stderr; the exit code is 1, and stdout stays empty.",
	),
	"zot.binary": zot("ruling 1", "`zot rpc`, `zot --rpc`, a link to `zot` and `parley rpc` are the same."),

	"zot.flag-provider": zot(
		"document, Flags",
		"`--provider` says who answers; one that is not there is an error.",
	),
	"zot.flag-model": zot(
		"document, Flags; observed, 13",
		"`--model` says which model answers; one that is not there is an error, never another model.",
	),
	"zot.flag-cwd": zot(
		"document, Flags",
		"`--cwd` is where the agent works; one that is not there is an error.",
	),
	"zot.flag-api-key": zot(
		"document, Flags",
		"`--api-key` is what the provider is asked with; if it is refused, the error names the option.",
	),
	"zot.flag-base-url": zot("document, Flags", "`--base-url` is where the provider is asked."),
	"zot.flag-system-prompt": zot(
		"document, Flags",
		"`--system-prompt` stands in the place of the built-in instructions.",
	),
	"zot.system-prompt": zot(
		"issue",
		"The built-in instructions name no tool that is not there, and say that `bash` has no network.",
	),
	"zot.client-leaves": zot(
		"observed, 11",
		"A client that ends with the last `done` gets no warning, and the exit code is 0.",
	),
	"zot.flag-append": zot(
		"document, Flags; issue",
		"`--append-system-prompt` is added to them, as often as it is given, in its order.",
	),
	"zot.flag-reasoning": zot(
		"document, Flags",
		"`--reasoning` says how much models think, in the words that clients use; another word is an error.",
	),
	"zot.flag-max-steps": zot(
		"document, Flags; observed, 4.2",
		"`--max-steps` limits the model calls of a prompt, which then ends with an error behind the last results.",
	),
	"zot.flag-no-tools": zot("document, Flags; ruling 7", "`--no-tools` means none at all."),
	"zot.flag-tools": zot(
		"document, Flags; ruling 7",
		"`--tools` is an exact list of `read`, `write`, `edit` and `bash`; another name is an error.",
	),
	"zot.nothing-kept": zot(
		"document, Flags",
		"Nothing is kept: another process knows nothing of the conversation, and no file stays.",
	),
	"zot.session": zot(
		"issue",
		"`--session` keeps the conversation, and the next process that names it goes on with it.",
	),
	"zot.session-held": zot("issue", "Two processes cannot have the same session at a time."),

	"zot.no-token": zot(
		"document, Auth",
		"Without `ZOTCORE_RPC_TOKEN`, or with an empty one, nobody has to say hello.",
	),
	"zot.token": zot(
		"document, Auth",
		"With it, a `hello` with the token opens the connection, also in one write with what follows.",
	),
	"zot.token-missing": zot(
		"document, Auth; ruling 3",
		"With it, another command first is answered with a failure, nothing is done, and the process exits with 1.",
	),
	"zot.token-wrong": zot(
		"document, Auth; ruling 3",
		"With it, a wrong token or none is answered with a failure, nothing is done, and the process exits with 1.",
	),
	"zot.token-hidden": zot("ruling 3", "Tools do not see the token, nor the key of the provider."),

	"zot.sigterm": zot(
		"ruling 8",
		"SIGTERM aborts the prompt, kills what its tools run, tells `done`, and the exit code is 143.",
	),
	"zot.sigterm-queue": zot(
		"ruling 8",
		"What waits at a SIGTERM is answered with a failure, and never starts.",
	),
	"zot.sigterm-idle": zot("ruling 8", "SIGTERM ends a process that has nothing to do at once, with 143."),
} satisfies Record<string, Requirement>;
