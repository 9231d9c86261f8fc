import { ozzie, type Requirement } from "../requirement.ts";

export const grantRequirements = {
	"grant.operator": ozzie(
		"security 2.9",
		"The operator's `request_grant` applies immediately: calls of the channel run without approval, and `grant.created` reports it.",
	),
	"grant.badge": ozzie(
		"security 2.9",
		"`tool.call` and `assistant.message` have `trusted {grant_id, until}` while a channel is trusted.",
	),
	"grant.request": ozzie(
		"rulings 12; security ruling 15",
		"A member's `request_grant` is a `confirm` prompt. The operator or an owner approves it with a value; any reader can deny it.",
	),
	"grant.requests": ozzie(
		"security 2.9",
		"`list_grants` returns the open grant requests with requester, scope, channel and reason. Observers receive no token for an answer.",
	),
	"grant.reconnected": ozzie(
		"security 2.9, ruling 15",
		"A member's `request_grant` needs no open session. The gateway finds the session of their channel, also after a reconnect.",
	),
	"grant.unseen": ozzie(
		"security 2.9",
		"The operator's `request_grant` for a channel without messages is refused, unless `unseen` confirms the id.",
	),
	"grant.scope": ozzie(
		"security 2.9",
		"A grant covers its tools, classes and people. It covers people with the role member or above only.",
	),
	"grant.floor": ozzie("security 2.9", "An always-required approval is required in a trusted channel too."),
	"grant.budget": ozzie(
		"security 2.9",
		"A grant has a maximum number of calls and a time. After either limit, `grant.ended` reports it and the next call requires approval.",
	),
	"grant.revoke": ozzie(
		"security 2.9",
		"`revoke_grant` ends a grant immediately, for every principal that may request one. `list_grants` shows it with the reason.",
	),
	"grant.no-access": ozzie(
		"security 2.9",
		"A grant ends if the channel is shared with another organisation or if a person without access writes.",
	),
	"grant.accept": ozzie(
		"security ruling 10",
		"A connector's `accept_all_tools` is `accepted` while the channel is trusted, and `forbidden` otherwise.",
	),
} satisfies Record<string, Requirement>;
