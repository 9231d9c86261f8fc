import { type Requirement, zot } from "../requirement.ts";

/** Lines, ids and responses. */
export const zotLineRequirements = {
	"zot.line": zot(
		"document, Wire format",
		"Every line is one object, ended by a line feed, without a line feed in it.",
	),
	"zot.line-frames": zot(
		"document, Frame types",
		"What comes are responses, one for each command and with its name, and events.",
	),
	"zot.id": zot(
		"document, Commands",
		"A response has the `id` of its command, and none where that had none.",
	),
	"zot.id-number": zot("ruling 6", "A number as `id` comes back as a number."),
	"zot.id-wrong": zot("ruling 6", "An `id` that is neither text nor number is refused."),
	"zot.in-flight": zot(
		"document, Commands",
		"Several requests can be in flight; each is answered once, with its id.",
	),
	"zot.response": zot(
		"document, Wire format; observed, checklist",
		"A response says `success`, and has `data` where there is something to say, or `error` as a text.",
	),
	"zot.response-order": zot("observed, 3", "Commands other than prompts are answered in their order."),
	"zot.unknown-command": zot(
		"observed, 3",
		"A command that is not there fails with `unknown command`, and its name.",
	),
	"zot.unknown-keys": zot("observed, 2", "Keys that nobody knows change nothing."),
	"zot.malformed": zot(
		"observed, 2",
		"A line that is no object, or none of a command, gets one failure, and the process lives on.",
	),
	"zot.fields": zot("observed, 3", "A field of a wrong type fails with its name, and nothing is done."),
	"zot.blank": zot("ruling 6", "Blank lines are ignored."),
	"zot.crlf": zot("observed, 2", "Lines may end with CR and LF."),
	"zot.last-line": zot("observed, 2", "The last line needs no end."),
	"zot.cut-anywhere": zot("observed, 2", "Lines may arrive in pieces, cut at any byte."),
	"zot.oversized": zot(
		"ruling 6",
		"A line above 16 MiB is answered with an error and skipped; one of 16 MiB is not.",
	),
	"zot.version": zot("document, Versioning", "`protocol_version` is the major version of the document: 1."),
} satisfies Record<string, Requirement>;
