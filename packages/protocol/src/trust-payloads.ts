import * as z from "zod";

/** What the operator may give to people. */
export const givenRoles = ["guest", "member", "approver", "owner"] as const;

/** Classes of actions that a policy and a grant can name. */
export const actionClasses = [
	"read",
	"write",
	"exec-sandboxed",
	"exec-unsandboxed",
	"egress",
	"outside-read",
	"outside-write",
	"secret",
	"control",
	"irreversible",
	"person",
] as const;

/** A token without its secret. Times are RFC 3339. */
export const TokenPayload = z.object({
	id: z.string(),
	kind: z.enum(["operator", "observer", "connector"]),
	name: z.string(),
	platform: z.exactOptional(z.string()),
	/** Of a connector: the guilds or teams that it may speak for; absent for all of its platform. */
	tenants: z.exactOptional(z.array(z.string())),
	/** Of an observer: what it may see; absent for everything. */
	sessions: z.exactOptional(z.array(z.string())),
	created_at: z.string(),
	last_used_at: z.exactOptional(z.string()),
	expires_at: z.exactOptional(z.string()),
	status: z.enum(["active", "expired", "revoked"]),
});

export const PersonPayload = z.object({
	/** `discord:GUILD:USER`. */
	person: z.string(),
	name: z.string(),
	role: z.enum(givenRoles),
	added_by: z.string(),
	created_at: z.string(),
});

/** A code that nobody has used yet, without the code. */
export const PairingPayload = z.object({
	/** For `withdraw_pairing`. */
	id: z.string(),
	kind: z.enum(["invitation", "request"]),
	/** Where it counts; an invitation without them counts anywhere. */
	platform: z.exactOptional(z.string()),
	/** A guild or team. */
	tenant: z.exactOptional(z.string()),
	/** Who wishes to come in: `discord:GUILD:USER`, the last being the platform's own id. */
	person: z.exactOptional(z.string()),
	/** As they call themselves. */
	name: z.exactOptional(z.string()),
	/** Of an invitation. */
	role: z.exactOptional(z.enum(givenRoles)),
	created_at: z.string(),
	expires_at: z.string(),
});

export const mentions = ["required", "always"] as const;
export const sessionModes = ["shared", "person"] as const;

/** How a channel works. What is absent is as everywhere. */
export const PlaceProfilePayload = z.strictObject({
	/** An agent profile. */
	agent: z.exactOptional(z.string().min(1).max(128)),
	model: z.exactOptional(z.string().min(1).max(200)),
	/** The only tools that there are. */
	tools: z.exactOptional(z.array(z.string().min(1).max(64)).max(64)),
	/** Where its tools work, instead of a workspace of its own: an absolute path. */
	root: z.exactOptional(z.string().min(1).max(4096)),
	/** Who may approve there: ids of people; everybody with the role approver where absent. */
	approvers: z.exactOptional(z.array(z.string().min(1).max(400)).max(100)),
	/** Channels in which its approvals may be answered, too, by who may approve there. */
	approve_in: z.exactOptional(z.array(z.string().min(1).max(400)).min(1).max(20)),
	/** US dollars a day for each of its sessions. */
	budget_usd: z.exactOptional(z.number().min(0).max(1_000_000)),
	/** Bytes that its workspace may hold. */
	quota_bytes: z.exactOptional(z.int().min(1)),
	/** When a message is for the agent: when it is named, or always. For connectors. */
	mention: z.exactOptional(z.enum(mentions)),
	/** Whose a conversation there is: all people's, or each has one of their own. For connectors. */
	sessions: z.exactOptional(z.enum(sessionModes)),
	/** Hours that its approvals wait; 24 where absent. */
	approval_hours: z.exactOptional(z.number().min(0.1).max(720)),
});
export type PlaceProfilePayload = z.output<typeof PlaceProfilePayload>;

/** A channel whose calls run unasked for a while. Null: all of them that the floor lets through, everybody. */
export const GrantPayload = z.object({
	grant_id: z.string(),
	/** `discord:GUILD:CHANNEL`. */
	place: z.string(),
	people: z.array(z.string()).nullable(),
	tools: z.array(z.string()).nullable(),
	classes: z.array(z.string()).nullable(),
	max_actions: z.int(),
	used_actions: z.int(),
	reason: z.string(),
	granted_by: z.string(),
	created_at: z.string(),
	expires_at: z.string(),
	/** Absent while it holds. */
	ended_at: z.exactOptional(z.string()),
	end_reason: z.exactOptional(z.string()),
});
export type GrantPayload = z.output<typeof GrantPayload>;

/** The open question of somebody whether a channel is to be trusted: `prompt_response` with its token answers it. */
export const GrantRequestPayload = z.object({
	token: z.string(),
	/** Where it was asked. */
	session_id: z.string(),
	place: z.string(),
	/** Who asks. */
	person: z.exactOptional(z.string()),
	/** As they call themselves. */
	name: z.exactOptional(z.string()),
	people: z.array(z.string()).nullable(),
	tools: z.array(z.string()).nullable(),
	classes: z.array(z.string()).nullable(),
	max_actions: z.int(),
	minutes: z.number(),
	reason: z.string(),
	created_at: z.string(),
	/** When the question ends unanswered. */
	expires_at: z.string(),
});
export type GrantRequestPayload = z.output<typeof GrantRequestPayload>;

/** On what happened without asking, because the channel is trusted. */
export const TrustedPayload = z.object({ grant_id: z.string(), until: z.string() });
export type TrustedPayload = z.output<typeof TrustedPayload>;

/** Result of a check of the stored text of sessions. */
export const TextCheckPayload = z.object({
	ok: z.boolean(),
	/** Sessions that were checked, of `all_sessions`. */
	sessions: z.int(),
	all_sessions: z.int(),
	/** Rows whose hash matches. */
	verified: z.int(),
	/** Rows that an earlier version wrote, without a hash. */
	unverified: z.int(),
	/** Rows that were altered, removed or moved; `examples` has the first 10. */
	faults: z.int(),
	examples: z.array(z.object({ session_id: z.string(), row: z.string(), reason: z.string() })),
});

/** One row of the audit. */
export const AuditPayload = z.object({
	seq: z.int().min(1),
	ts: z.string(),
	principal: z.string(),
	/** The wire, or `gateway`. */
	via: z.string(),
	action: z.string(),
	object: z.string(),
	decision: z.string(),
	args_sha256: z.exactOptional(z.string()),
	args: z.exactOptional(z.unknown()),
	grant_id: z.exactOptional(z.string()),
	hash: z.string(),
});

/** A rule of a policy as it was written; what is absent does not matter to it. */
export const PolicyRulePayload = z.object({
	layer: z.string(),
	/** `FILE:LINE` of a rule that somebody wrote. */
	source: z.exactOptional(z.string()),
	effect: z.enum(["allow", "ask", "deny"]),
	reason: z.string(),
	/** Whether it asks whatever was granted. */
	floor: z.boolean(),
	/** Whether its layer may not make it, so that it counts for nothing. */
	ignored: z.boolean(),
	tools: z.exactOptional(z.array(z.string())),
	classes: z.exactOptional(z.array(z.string())),
	commands: z.exactOptional(z.array(z.array(z.string()))),
	paths: z.exactOptional(z.array(z.string())),
	hosts: z.exactOptional(z.array(z.string())),
});
