import { ozzie, type Requirement } from "../requirement.ts";

export const questionRequirements = {
	"prompt.changed": ozzie(
		"ruling 12",
		"A call approved with changed arguments runs with them, and all clients and the model are informed.",
	),
	"prompt.changed-refused": ozzie(
		"ruling 12",
		"Changed arguments that are invalid or need another warning leave the question open.",
	),
	"prompt.reminder": ozzie(
		"ruling 9; security ruling 2",
		"A reminder of an open question is sent at 50 % and at 90 % of its lifetime.",
	),
	"prompt.hidden": ozzie(
		"our own: Approve a tool call",
		"A secret of the gateway in a call is not shown. The question says that text is hidden.",
	),
	"ask.long": ozzie(
		"our own: Questions of the agent",
		"An answer above 65,536 characters, or a password above 4,096, leaves the question open.",
	),
	"ask.password-use": ozzie(
		"ruling 10; security ruling 7",
		"A tool receives the password behind a handle, and its output does not contain it.",
	),
	"ask.password-plain": ozzie(
		"ruling 10",
		"A password over an unencrypted remote connection is refused, and the question stays open.",
	),
	"explain.run": ozzie(
		"ruling 12",
		"`explain` returns the message, the rule or person that decided each call, and the answer.",
	),
	"explain.refused": ozzie("ruling 12", "`explain` and `feedback` of an unknown run are refused."),
	"feedback.stored": ozzie("ruling 12", "`feedback` stores the latest rating of each person for a reply."),
	"feedback.listed": ozzie(
		"ruling 12",
		"`list_feedback` returns to the operator the feedback of one session or all, newest first.",
	),
	"feedback.refused": ozzie("ruling 12", "`feedback` is refused if there is no reply."),
} satisfies Record<string, Requirement>;
