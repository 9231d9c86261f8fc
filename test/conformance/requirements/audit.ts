import { ozzie, type Requirement } from "../requirement.ts";

export const auditRequirements = {
	"audit.rows": ozzie(
		"our own, The audit",
		"`read_audit` tells of every approval and every call that changes something: who, by which wire, how it was decided.",
	),
	"audit.discreet": ozzie(
		"our own, The audit",
		"A row holds no message, no token of a question and no secret; a chat without such calls leaves none.",
	),
	"audit.pages": ozzie(
		"our own, The audit",
		"`read_audit` gives the newest rows, oldest first, by time and by who acted; with `after` the next ones.",
	),
	"audit.verify": ozzie(
		"our own, The audit",
		"`verify_audit` says whether every row is as it was written, and which is the first that is not.",
	),
	"audit.anchor": ozzie(
		"our own, The audit",
		"With an `anchor` from the log `verify_audit` also sees that rows at the end are missing.",
	),
	"audit.messages": ozzie(
		"our own, The audit",
		"With `messages` `verify_audit` also checks the stored text of all sessions, and names the rows that were altered.",
	),
	"audit.operator": ozzie("our own, The audit", "Only the operator reads and checks the audit."),
} satisfies Record<string, Requirement>;
