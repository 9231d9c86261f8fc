import { ozzie, type Requirement } from "../requirement.ts";

export const grantRequirements = {
	"grant.operator": ozzie(
		"security 2.9",
		"The operator's `request_grant` counts at once: calls of the channel run unasked, and `grant.created` says so.",
	),
	"grant.badge": ozzie(
		"security 2.9",
		"`tool.call` and `assistant.message` carry `trusted {grant_id, until}` while a channel is trusted.",
	),
	"grant.request": ozzie(
		"rulings 12; security ruling 15",
		"A member's `request_grant` is a `confirm` prompt that the operator or an owner answers with a value, or anybody denies.",
	),
	"grant.wishes": ozzie(
		"security 2.9",
		"`list_grants` shows the wishes that wait, with who asks for what, where and why; observers get no token that answers one.",
	),
	"grant.reconnected": ozzie(
		"security 2.9, ruling 15",
		"A member's `request_grant` needs no open session: their channel's conversation is found, also by a connector that has come back.",
	),
	"grant.unseen": ozzie(
		"security 2.9",
		"The operator's `request_grant` for a channel in which nothing was said is refused, unless `unseen` says that its id is right.",
	),
	"grant.scope": ozzie(
		"security 2.9",
		"A grant covers its tools, classes and people, and of people only members and those above.",
	),
	"grant.floor": ozzie("security 2.9", "In a trusted channel, too, what is always asked is asked."),
	"grant.budget": ozzie(
		"security 2.9",
		"A grant has a number of calls and a time; when either is over, `grant.ended` says so and the next call is asked about.",
	),
	"grant.revoke": ozzie(
		"security 2.9",
		"`revoke_grant` ends it at once, for whoever may request one; `list_grants` shows it with the reason.",
	),
	"grant.stranger": ozzie(
		"security 2.9",
		"It ends when the channel is shared with another organisation, and when somebody speaks who was not let in.",
	),
	"grant.accept": ozzie(
		"security ruling 10",
		"A connector's `accept_all_tools` is `accepted` while the channel is trusted, and `forbidden` otherwise.",
	),
} satisfies Record<string, Requirement>;
