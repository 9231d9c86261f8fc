import { ozzie, type Requirement } from "../requirement.ts";

export const tokenRequirements = {
	"token.rights": ozzie(
		"security 2.3",
		"The rights of a token depend only on its purpose, never on the content of a request.",
	),
	"token.routes": ozzie(
		"security 2.4",
		"Every HTTP endpoint serves each kind of token exactly what its rights allow.",
	),
	"token.once": ozzie(
		"our own: Tokens",
		"The text of a token is only in the response that created it. A repetition with its key is refused and creates none.",
	),
	"token.rotate": ozzie(
		"our own: Tokens",
		"`rotate_token` replaces the text of a token. The old text stops working immediately or after `grace_seconds`.",
	),
	"token.own": ozzie(
		"our own: Tokens",
		"The operator's own token can be rotated like others. Its file is readable for the operator only.",
	),
	"token.end": ozzie(
		"our own: Tokens",
		"A revoked, rotated or expired token ends its connections within 5 seconds. A WebSocket closes with 4001.",
	),
	"token.refused": ozzie(
		"security 2.3",
		"An invalid or expired token always gets the same 401, and the audit records it.",
	),
	"token.ticket": ozzie(
		"our own: Tokens",
		"`POST /api/tickets` returns a ticket that opens one WebSocket within 30 seconds with the rights of the requester.",
	),
	"token.observer": ozzie(
		"security 2.3",
		"An observer reads its sessions and never receives a token that answers a prompt.",
	),
} satisfies Record<string, Requirement>;
