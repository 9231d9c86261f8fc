import type { Role } from "./principal.ts";

/**
 * The actions as ends of a sentence such as "only members can start tasks". People read it in chats, so it has no names of
 * rights, roles or ids.
 */
const acts = {
	"session.list": "see conversations",
	"session.read": "read this conversation",
	"session.open": "start a conversation",
	"session.write": "write to the agent",
	"session.configure": "change a conversation",
	"client_tools.register": "add tools",
	"session.delete": "delete a conversation",
	"file.write": "send files",
	"file.read": "read files",
	"prompt.read": "see this",
	"prompt.answer": "answer this",
	"prompt.approve": "approve this",
	"prompt.approve_critical": "approve this",
	"prompt.deny": "deny this",
	"trust.accept_all": "turn off approvals",
	"event.read": "read this conversation",
	"task.read": "see tasks",
	"task.submit": "start tasks",
	"task.control": "stop tasks and answer their reviews",
	"memory.read": "read notes",
	"memory.write": "store notes",
	"memory.write_everyone": "store notes for all channels",
	"memory.forget": "delete notes",
	"memory.forget_channel": "delete the notes of a channel",
	"schedule.read": "see schedules",
	"schedule.create": "have scheduled messages",
	"schedule.remove": "delete schedules",
	"usage.read": "see the usage",
	"budget.set": "change budgets",
	"feedback.read": "read feedback",
	"agents.read": "see the agents",
	"skill.read": "see the skills",
	"skill.trust": "trust skills",
	"model.read": "see the models",
	"health.read": "see the state of the gateway",
	"metrics.read": "read metrics",
	"gateway.control": "control the gateway",
	"token.manage": "manage tokens",
	"ticket.create": "create a ticket",
	"person.pair": "request access",
	"person.self": "see their own role",
	"person.report": "report people",
	"person.read": "see people",
	"person.manage": "manage people",
	"place.read": "see channel settings",
	"place.manage": "change channel settings",
	"policy.read": "read the policy",
	"grant.request": "request trust for a channel",
	"grant.confirm": "trust a channel",
	"grant.read": "see trust grants",
	"grant.revoke": "end the trust of a channel",
	"audit.read": "read the audit",
} as const;

type Act = keyof typeof acts;

/** Refusal of an action that only people with more rights can do. */
export function onlyOthersCan(action: Act, needed: Role): string {
	const act = acts[action];
	if (action === "prompt.answer" && needed === "approver")
		return `only the requester and approvers of this channel can ${act}`;
	switch (needed) {
		case "owner":
			return `only owners can ${act}: ask one of them`;
		case "approver":
			return `only approvers of this channel can ${act}: ask one of them`;
		default:
			return `only ${needed}s can ${act}: ask the operator`;
	}
}

/** Refusal of an action that no person of a chat platform can do. */
export function onlyTheOperatorCan(action: Act): string {
	return `only the operator can ${acts[action]}, outside of chats`;
}

/** Refusal of an action on an object of another channel or connector. */
export const belongsElsewhere = "this belongs to another channel";
