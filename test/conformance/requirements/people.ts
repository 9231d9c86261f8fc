import { ozzie, type Requirement } from "../requirement.ts";

export const peopleRequirements = {
	"people.actor": ozzie(
		"security ruling 15",
		"What a connector opens, says, answers or changes carries `actor` and `place`; to come back and to read takes neither.",
	),
	"people.tenant": ozzie(
		"security ruling 15",
		"A connector speaks for its platform's known guilds or teams alone: for others it is `forbidden`, but for `pair` and `whoami`.",
	),
	"people.role": ozzie(
		"security ruling 15",
		"What somebody may do is looked up with every request; a refusal says how to get more.",
	),
	"people.whoami": ozzie("security ruling 15", "`whoami` tells who asks, their role and what they may do."),
	"people.pair": ozzie(
		"security 1.2, ruling 15",
		"`pair` with a code of `invite_person` lets one person in, once, within the hour; an owner brings the guild or team in.",
	),
	"people.ask": ozzie(
		"security 1.2",
		"`pair` without a code is a wish that the operator approves with the code it returns; three may wait in a guild or team.",
	),
	"people.manage": ozzie(
		"security ruling 15",
		"The operator alone lists, lets in, changes and removes people; it holds from their next request on.",
	),
	"people.withdraw": ozzie(
		"security ruling 15",
		"`withdraw_pairing` ends a code that nobody has used, an invitation's or a request's; `list_people` shows whose it is and where it counts.",
	),
	"people.refusal": ozzie(
		"security ruling 15",
		"Who is refused what only the operator may is told so, and what makes a token for it.",
	),
	"people.author": ozzie(
		"security ruling 15",
		"`user.message` names its author; the model sees their words quoted under that name.",
	),
	"people.guest": ozzie("security ruling 15", "What a guest asks for only reads."),
	"people.answer": ozzie(
		"security 2.4, ruling 15",
		"An approval takes the role approver in its channel, a question its requester or an approver, a denial anybody who sees it; always-ask calls only the operator approves.",
	),
	"place.session": ozzie(
		"security ruling 16",
		"A session belongs to the channel where it was opened: from another one it is neither opened nor spoken to.",
	),
	"place.workspace": ozzie(
		"security ruling 16",
		"A session of a channel works in a directory of its own, which is deleted with it; `root_dir` is refused.",
	),
	"place.profile": ozzie(
		"security ruling 16",
		"`set_place` says agent, model, tools, root, approvers, budget and times of a channel, `remove_place` takes it back; what cannot be is refused with what would do.",
	),
	"place.approve-in": ozzie(
		"our own: approvers are not always where the work is asked for",
		"`approve_in` lets who may approve in another channel see approvals of this one with `list_prompts {approvals}` and answer them: once, as they are; nothing else, nobody else, and nowhere that is shared or not known.",
	),
} satisfies Record<string, Requirement>;
