import { type Requirement, zot } from "../requirement.ts";

/**
 * Requirements for the start, flags and end of the process. Three parts of the document cannot be tested: the
 * languages of its clients, its links, and that the user who starts the process can read its credentials.
 */
export const zotProcessRequirements = {
	"zot.quick-start": zot(
		"document, Quick start",
		"A piped prompt gets a response, events and `done`, one object a line.",
	),
	"zot.one-of-each": zot(
		"document, Process model; ruling 1",
		"One process has one directory, one model and one session: its prompts are one conversation.",
	),
	"zot.many": zot("document, Process model", "Several processes work in parallel without shared state."),
	"zot.input-ends": zot(
		"document, Process model; ruling 8",
		"When its input ends, an idle process exits with 0.",
	),
	"zot.input-ends-busy": zot(
		"ruling 8; departures",
		"When the input ends, the active prompt and the waiting ones are finished first.",
	),
	"zot.input-ends-ask": zot(
		"ruling 8; observed, 14",
		"A question that is open when the input ends is denied, and the prompt continues.",
	),
	"zot.silent-start": zot("observed, checklist", "The process writes no output before the first command."),
	"zot.stdout": zot("observed, checklist", "Stdout has protocol lines only. Logs go to stderr."),
	"zot.start-error": zot(
		"ruling 1",
		"A failed start writes one line to stderr, exits with 1, and leaves stdout empty.",
	),
	"zot.binary": zot("ruling 1", "`zot rpc`, `zot --rpc`, a link named `zot` and `parley rpc` are equal."),

	"zot.flag-provider": zot("document, Flags", "`--provider` sets the provider. An unknown one is an error."),
	"zot.flag-model": zot(
		"document, Flags; observed, 13",
		"`--model` sets the model. An unknown one is an error and never another model.",
	),
	"zot.flag-cwd": zot("document, Flags", "`--cwd` sets the agent's directory. A missing one is an error."),
	"zot.flag-api-key": zot(
		"document, Flags",
		"`--api-key` sets the provider's key. If it is refused, the error names the option.",
	),
	"zot.flag-base-url": zot("document, Flags", "`--base-url` sets the address of the provider."),
	"zot.flag-system-prompt": zot("document, Flags", "`--system-prompt` replaces the built-in instructions."),
	"zot.system-prompt": zot(
		"issue",
		"The built-in instructions name only existing tools and say that `bash` has no network.",
	),
	"zot.client-leaves": zot(
		"observed, 11",
		"A client that ends with the last `done` gets no warning, and the exit code is 0.",
	),
	"zot.flag-append": zot(
		"document, Flags; issue",
		"`--append-system-prompt` adds text to the instructions, and can be repeated in order.",
	),
	"zot.flag-reasoning": zot(
		"document, Flags",
		"`--reasoning` sets the reasoning effort with the words that clients use. Another word is an error.",
	),
	"zot.flag-max-steps": zot(
		"document, Flags; observed, 4.2",
		"`--max-steps` limits the model calls of a prompt, which then ends with an error after the last results.",
	),
	"zot.flag-no-tools": zot("document, Flags; ruling 7", "`--no-tools` disables all tools."),
	"zot.flag-tools": zot(
		"document, Flags; ruling 7",
		"`--tools` is an exact list of `read`, `write`, `edit` and `bash`. Another name is an error.",
	),
	"zot.no-storage": zot(
		"document, Flags",
		"The process stores no data: another process does not know the conversation, and no file remains.",
	),
	"zot.session": zot("issue", "`--session` stores the conversation, and the next process with it continues."),
	"zot.session-held": zot("issue", "Two processes cannot use the same session at the same time."),

	"zot.no-token": zot(
		"document, Auth",
		"Without `ZOTCORE_RPC_TOKEN`, or with an empty one, `hello` is optional.",
	),
	"zot.token": zot(
		"document, Auth",
		"With it, a `hello` with the token opens the connection, also in one write with later commands.",
	),
	"zot.token-missing": zot(
		"document, Auth; ruling 3",
		"With it, another first command gets a failure, has no effect, and the process exits with 1.",
	),
	"zot.token-wrong": zot(
		"document, Auth; ruling 3",
		"With it, a wrong or missing token gets a failure, has no effect, and the process exits with 1.",
	),
	"zot.token-hidden": zot("ruling 3", "Tools see neither the token nor the key of the provider."),

	"zot.sigterm": zot(
		"ruling 8",
		"SIGTERM aborts the prompt, kills the processes of its tools, sends `done`, and the exit code is 143.",
	),
	"zot.sigterm-queue": zot("ruling 8", "Waiting prompts get a failure after SIGTERM and never start."),
	"zot.sigterm-idle": zot("ruling 8", "SIGTERM ends an idle process immediately with 143."),
} satisfies Record<string, Requirement>;
