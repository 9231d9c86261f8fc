import { ozzie, type Requirement } from "../requirement.ts";

/** What is promised of questions, passwords and explanations beyond the first answer. */
export const questionRequirements = {
	"prompt.changed": ozzie(
		"ruling 12",
		"A call approved with changed arguments runs with them; everybody and the model are told.",
	),
	"prompt.changed-refused": ozzie(
		"ruling 12",
		"Changed arguments that make no sense, or need another warning, leave the question open.",
	),
	"prompt.reminder": ozzie(
		"ruling 9; security ruling 2",
		"Everybody is reminded of an open question at half and at nine tenths of its life, once each.",
	),
	"prompt.hidden": ozzie(
		"our own: A tool call that a person approves",
		"A secret of the gateway in a call is shown to nobody; the question says that one is hidden.",
	),
	"ask.long": ozzie(
		"our own: Questions of the agent",
		"An answer of more than 65,536 characters, of a password 4,096, leaves the question open.",
	),
	"ask.password-use": ozzie(
		"ruling 10; security ruling 7",
		"A tool gets the password behind a handle, and nothing that it says holds it.",
	),
	"ask.password-plain": ozzie(
		"ruling 10",
		"A password is not taken over a connection that others can read; the question stays open.",
	),
	"explain.run": ozzie(
		"ruling 12",
		"`explain` says what was heard, which rule or person decided about each call, and what was said.",
	),
	"explain.refused": ozzie("ruling 12", "`explain` and `feedback` of an unknown run are refused."),
	"feedback.kept": ozzie("ruling 12", "`feedback` keeps the last word of each person about a reply."),
	"feedback.listed": ozzie(
		"ruling 12",
		"`list_feedback` shows the operator the feedback of one session or of all, newest first.",
	),
	"feedback.refused": ozzie("ruling 12", "There is no `feedback` where there is no reply."),
} satisfies Record<string, Requirement>;
