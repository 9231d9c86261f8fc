import { onEachWire, ozzie, type Requirement } from "../requirement.ts";

export const promptRequirements = {
	"prompt.form": ozzie(
		"document, prompt.request",
		"A question carries type, label, token, options and the other documented keys.",
	),
	"prompt.context": ozzie(
		"ruling 9",
		"An approval's context has what it takes to show it: call, tool, arguments, preview, risk, expiry.",
	),
	"prompt.approve": ozzie(
		"ruling 9",
		"true, yes, y, allow and once, written exactly so, approve.",
		onEachWire,
	),
	"prompt.approve-valueless": ozzie(
		"document, Flows; ruling 9",
		"`cancelled: false` without a value, or with null, approves.",
	),
	"prompt.deny": ozzie("ruling 9", "Everything else denies, `cancelled: true` whatever the value.", {
		...onEachWire,
		kontekst: { cannot: "a denial cancels the run" },
	}),
	"prompt.floor": ozzie(
		"ruling 9",
		"A call that is always asked is not approved without a value: the question stays open.",
	),
	"prompt.session": ozzie(
		"ruling 9",
		"session and always approve and are remembered for the session where that is offered, and `prompt.response` says `remembered`.",
	),
	"prompt.session-refused": ozzie("ruling 9", "Where that is not offered, session and always deny."),
	"prompt.reason": ozzie(
		"ruling 12",
		"Why something was denied reaches the model, and everybody in `prompt.response`.",
	),
	"prompt.first": ozzie(
		"ruling 9",
		"The first answer counts; later ones are fine, hear that they are `late`, and change nothing.",
	),
	"prompt.unknown": ozzie(
		"ruling 9",
		"An answer to a question that was never asked is refused with `prompt not found`.",
	),
	"prompt.told": ozzie("ruling 9", "Everybody in the session sees what was answered."),
	"prompt.closed": ozzie("ruling 9", "Everybody sees when a question can no longer be answered, and why."),
	"prompt.again": ozzie("ruling 9", "Who joins or resumes is shown the open questions again, in passing."),
	"prompt.together": ozzie(
		"runtime rules 3 and 5",
		"All approvals of a reply are open before the first answer, and answers are accepted in any order.",
	),
	"prompt.reply": ozzie(
		"runtime rules 3 and 5",
		"An approval says to which reply it belongs, and its place among those that were raised together.",
	),
	"prompt.files-changed": ozzie(
		"runtime rules 3 and 5; security 2.5",
		"A command whose files another call of its reply changed is asked again, and the question names the files.",
	),
	"prompt.expiry": ozzie(
		"runtime rule 5; security ruling 2",
		"A question that nobody answers in 24 hours counts as no answer, and nothing runs.",
	),

	"ask.text": ozzie("document, Prompt types", "`text` asks for a string."),
	"ask.select": ozzie("document, Prompt types", "`select` asks for one of its options."),
	"ask.multi": ozzie("document, Prompt types", "`multi` asks for any number of its options."),
	"ask.options": ozzie(
		"document, Option format",
		"An option has value, label, description and disabled; a disabled one cannot be chosen.",
	),
	"ask.shapes": ozzie("ruling 9", "`value`, `values` and `text` are all taken as answers."),
	"ask.invalid": ozzie(
		"ruling 9",
		"An answer that does not fit options, validation or required leaves the question open.",
	),
	"ask.cancel": ozzie(
		"document, Prompt types",
		"`cancelled: true` dismisses a question, and the agent learns that nobody answered.",
	),
	"ask.password": ozzie(
		"ruling 10",
		"The value of a password reaches nobody but a tool: no event, no list, no model, no file in clear.",
	),

	"trust.accept": ozzie(
		"document, accept_all_tools",
		"After `accept_all_tools`, which needs no parameters, calls run without asking.",
	),
	"trust.open": ozzie("runtime rule 6", "It also approves the open questions that it covers."),
	"trust.floor": ozzie("departures; runtime rule 6", "What is always asked is asked all the same."),
	"trust.absence": ozzie(
		"runtime rule 6",
		"It ends 60 seconds after the last client left, not when one comes back before.",
	),
	"trust.life": ozzie("runtime rule 6", "It ends after 8 hours at the latest."),
	"trust.restart": ozzie("runtime rule 6", "A restart does not end it."),
	"trust.run": ozzie("runtime rule 6", "A run that started under it keeps it to its end."),
} satisfies Record<string, Requirement>;
