import { ozzie, type Requirement } from "../requirement.ts";

export const tokenRequirements = {
	"token.rights": ozzie(
		"security 2.3",
		"What a token lets its holder do depends on what it was made for alone, never on what a request says of itself.",
	),
	"token.routes": ozzie(
		"security 2.4",
		"Every HTTP endpoint serves each kind of token what its rights hold, and nothing else.",
	),
	"token.once": ozzie(
		"our own, tokens",
		"The text of a token is in the answer that made it; a repetition with its key is refused, and makes none.",
	),
	"token.rotate": ozzie(
		"our own, tokens",
		"`rotate_token` puts another text in the place of one, which stops working at once or after `grace_seconds`.",
	),
	"token.own": ozzie(
		"our own, tokens",
		"The operator's own token is rotated like others, and stands in its file, for the operator alone.",
	),
	"token.end": ozzie(
		"our own, tokens",
		"Revoked, rotated or expired, a token ends all it has open within 5 seconds: a WebSocket closes with 4001.",
	),
	"token.refused": ozzie(
		"security 2.3",
		"What is no token, or counts no longer, is answered with one and the same 401, and the audit tells of it.",
	),
	"token.ticket": ozzie(
		"our own, tokens",
		"`POST /api/tickets` gives a ticket that opens one WebSocket within 30 seconds, with the rights of who asked.",
	),
	"token.observer": ozzie(
		"security 2.3",
		"An observer reads the sessions it was made for; it never gets the token that answers a prompt.",
	),
} satisfies Record<string, Requirement>;
