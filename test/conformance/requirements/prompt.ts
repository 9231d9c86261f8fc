import { onEachWire, ozzie, type Requirement } from "../requirement.ts";

export const promptRequirements = {
	"prompt.form": ozzie(
		"document, prompt.request",
		"A question has type, label, token, options and the other documented keys.",
	),
	"prompt.context": ozzie(
		"ruling 9",
		"The context of an approval has the call, tool, arguments, preview, risk and expiry.",
	),
	"prompt.approve": ozzie("ruling 9", "The exact values true, yes, y, allow and once approve.", onEachWire),
	"prompt.approve-valueless": ozzie(
		"document, Flows; ruling 9",
		"`cancelled: false` without a value, or with null, approves.",
	),
	"prompt.deny": ozzie("ruling 9", "All other values deny, and so does `cancelled: true` with any value.", {
		...onEachWire,
		kontekst: { cannot: "a denial cancels the run" },
	}),
	"prompt.floor": ozzie(
		"ruling 9",
		"An always-required approval needs a value. Without one the question stays open.",
	),
	"prompt.session": ozzie(
		"ruling 9",
		"session and always approve for the session if that is offered, and `prompt.response` has `remembered`.",
	),
	"prompt.session-refused": ozzie("ruling 9", "If that is not offered, session and always deny."),
	"prompt.reason": ozzie(
		"ruling 12",
		"The reason of a denial reaches the model and all clients in `prompt.response`.",
	),
	"prompt.first": ozzie("ruling 9", "The first answer is used. Later ones get `late` and change nothing."),
	"prompt.votes": ozzie(
		"security 2.4; decision 128",
		"A call that needs several approvals runs after different people approved it, and `prompt.vote` reports each.",
	),
	"prompt.unknown": ozzie("ruling 9", "An answer to an unknown question is refused with `prompt not found`."),
	"prompt.reported": ozzie("ruling 9", "All clients of the session see the answer."),
	"prompt.closed": ozzie("ruling 9", "All clients see that a question was closed, and why."),
	"prompt.again": ozzie(
		"ruling 9",
		"A client that joins or resumes receives the open questions again as transient frames.",
	),
	"prompt.together": ozzie(
		"runtime rules 3 and 5",
		"All approvals of a reply are open before the first answer, and answers are accepted in any order.",
	),
	"prompt.reply": ozzie(
		"runtime rules 3 and 5",
		"An approval names its reply and its position among the approvals raised together.",
	),
	"prompt.files-changed": ozzie(
		"runtime rules 3 and 5; security 2.5",
		"A command whose files were changed by another call of its reply requires a new approval, which names the files.",
	),
	"prompt.expiry": ozzie(
		"runtime rule 5; security ruling 2",
		"A question without an answer in 24 hours expires, and the call does not run.",
	),

	"ask.text": ozzie("document, Prompt types", "`text` requests a string."),
	"ask.select": ozzie("document, Prompt types", "`select` requests one of its options."),
	"ask.multi": ozzie("document, Prompt types", "`multi` requests any number of its options."),
	"ask.options": ozzie(
		"document, Option format",
		"An option has value, label, description and disabled; a disabled one cannot be chosen.",
	),
	"ask.shapes": ozzie("ruling 9", "`value`, `values` and `text` are accepted as answers."),
	"ask.invalid": ozzie(
		"ruling 9",
		"An answer that does not match options, validation or `required` leaves the question open.",
	),
	"ask.cancel": ozzie(
		"document, Prompt types",
		"`cancelled: true` dismisses a question, and the agent learns that it has no answer.",
	),
	"ask.password": ozzie(
		"ruling 10",
		"The value of a password reaches only a tool: no event, list, model or plain-text file contains it.",
	),

	"trust.accept": ozzie(
		"document, accept_all_tools",
		"After `accept_all_tools`, which needs no parameters, calls run without approval.",
	),
	"trust.open": ozzie("runtime rule 6", "It also approves the open questions that it covers."),
	"trust.floor": ozzie("departures; runtime rule 6", "Always-required approvals are still required."),
	"trust.absence": ozzie(
		"runtime rule 6",
		"It ends 60 seconds after the last client left, unless one returns before.",
	),
	"trust.life": ozzie("runtime rule 6", "It ends after at most 8 hours."),
	"trust.restart": ozzie("runtime rule 6", "A restart does not end it."),
	"trust.run": ozzie("runtime rule 6", "A run that started under it keeps the permission until its end."),
} satisfies Record<string, Requirement>;
