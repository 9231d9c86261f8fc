import { ozzie, type Requirement } from "../requirement.ts";

export const peopleRequirements = {
	"people.actor": ozzie(
		"security ruling 15",
		"Requests of a connector that open, send, answer or change something have `actor` and `place`. Resuming and reading need neither.",
	),
	"people.tenant": ozzie(
		"security ruling 15",
		"A connector acts for its known guilds or teams only. Others are `forbidden`, except for `pair` and `whoami`.",
	),
	"people.role": ozzie(
		"security ruling 15",
		"The rights of a person are looked up for every request. A refusal explains how to get access.",
	),
	"people.whoami": ozzie("security ruling 15", "`whoami` returns the person, their role and their rights."),
	"people.pair": ozzie(
		"security 1.2, ruling 15",
		"`pair` with a code of `invite_person` admits one person once within an hour. A code for an owner also admits the guild or team.",
	),
	"people.ask": ozzie(
		"security 1.2",
		"`pair` without a code is an access request. The operator approves it with its code. At most three wait in a guild or team.",
	),
	"people.manage": ozzie(
		"security ruling 15",
		"Only the operator lists, admits, changes and removes people. A change applies from their next request.",
	),
	"people.withdraw": ozzie(
		"security ruling 15",
		"`withdraw_pairing` cancels an unused code of an invitation or a request. `list_people` shows its owner and scope.",
	),
	"people.refusal": ozzie(
		"security ruling 15",
		"A refusal of an operator-only request states this and names the command that creates an operator token.",
	),
	"people.author": ozzie(
		"security ruling 15",
		"`user.message` names its author, and the model reads their text quoted under that name.",
	),
	"people.guest": ozzie("security ruling 15", "Runs of a guest only read."),
	"people.answer": ozzie(
		"security 2.4, ruling 15",
		"Approving requires the role approver in the channel, answering a question its requester or an approver, denying only the right to see it. Only the operator approves always-required calls.",
	),
	"channel.session": ozzie(
		"security ruling 16",
		"A session belongs to the channel in which it was opened. It can be neither opened nor written to from another one.",
	),
	"channel.workspace": ozzie(
		"security ruling 16",
		"A session of a channel has its own working directory, which is deleted with it. `root_dir` is refused.",
	),
	"channel.profile": ozzie(
		"security ruling 16",
		"`set_place` sets agent, model, tools, root, approvers, budget and times of a channel, and `remove_place` resets them. Invalid values are refused with valid ones.",
	),
	"channel.approve-in": ozzie(
		"our own: People of chat platforms",
		"With `approve_in`, approvers of another channel can list approvals of this one with `list_prompts {approvals}` and answer each once, unchanged. They see no other data of this channel, and shared or unknown channels are excluded.",
	),
} satisfies Record<string, Requirement>;
