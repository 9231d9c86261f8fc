import { type Requirement, zot } from "../requirement.ts";

export const zotLineRequirements = {
	"zot.line": zot(
		"document, Wire format",
		"Every line is one object that ends with a line feed and contains none.",
	),
	"zot.line-frames": zot(
		"document, Frame types",
		"Output lines are events and one response for each command, with its name.",
	),
	"zot.id": zot(
		"document, Commands",
		"A response has the `id` of its command, or no `id` if the command has no `id`.",
	),
	"zot.id-number": zot("ruling 6", "A numeric `id` is returned as a number."),
	"zot.id-wrong": zot("ruling 6", "An `id` that is neither a string nor a number is refused."),
	"zot.in-flight": zot(
		"document, Commands",
		"Several requests can be in flight. Each is answered once with its id.",
	),
	"zot.response": zot(
		"document, Wire format; observed, checklist",
		"A response has `success`, and optional `data` or an `error` text.",
	),
	"zot.response-order": zot("observed, 3", "Commands other than prompts are answered in their order."),
	"zot.unknown-command": zot("observed, 3", "An unknown command fails with `unknown command` and its name."),
	"zot.unknown-keys": zot("observed, 2", "Unknown keys have no effect."),
	"zot.malformed": zot(
		"observed, 2",
		"A line that is not an object or not a command gets one failure, and the process continues.",
	),
	"zot.fields": zot("observed, 3", "A field of a wrong type fails with its name and has no effect."),
	"zot.blank": zot("ruling 6", "Blank lines are ignored."),
	"zot.crlf": zot("observed, 2", "Lines may end with CR and LF."),
	"zot.last-line": zot("observed, 2", "The last line needs no line feed."),
	"zot.cut-anywhere": zot("observed, 2", "Lines may arrive in pieces, split at any byte."),
	"zot.oversized": zot(
		"ruling 6",
		"A line above 16 MiB is answered with an error and skipped. A line of 16 MiB is accepted.",
	),
	"zot.version": zot("document, Versioning", "`protocol_version` is the major version of the document: 1."),
} satisfies Record<string, Requirement>;
