import { ozzie, type Requirement } from "../requirement.ts";

export const auditRequirements = {
	"audit.rows": ozzie(
		"our own: The audit",
		"`read_audit` returns a row for every approval and for every call that changes something: principal, wire and decision.",
	),
	"audit.discreet": ozzie(
		"our own: The audit",
		"A row contains no message, no question token and no secret. A chat without such calls adds no row.",
	),
	"audit.pages": ozzie(
		"our own: The audit",
		"`read_audit` returns the newest rows in ascending order, filtered by time and principal. `after` continues.",
	),
	"audit.verify": ozzie(
		"our own: The audit",
		"`verify_audit` reports whether every row is unchanged, and the first changed row.",
	),
	"audit.anchor": ozzie(
		"our own: The audit",
		"With an `anchor` from the log, `verify_audit` also detects missing rows at the end.",
	),
	"audit.messages": ozzie(
		"our own: The audit",
		"With `messages`, `verify_audit` also checks the stored text of all sessions and names changed rows.",
	),
	"audit.operator": ozzie("our own: The audit", "Only the operator can read and verify the audit."),
} satisfies Record<string, Requirement>;
