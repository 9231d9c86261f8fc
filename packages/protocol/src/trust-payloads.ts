import * as z from "zod";

/** Roles that the operator can assign. */
export const givenRoles = ["guest", "member", "approver", "owner"] as const;

/** Action classes. Policy rules and grants can name them. */
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

/** A token without its secret. Times are in the format of RFC 3339. */
export const TokenPayload = z.object({
	id: z.string(),
	kind: z.enum(["operator", "observer", "connector"]),
	name: z.string(),
	platform: z.exactOptional(z.string()),
	/** Guilds or teams of a connector token. Absent: all guilds or teams of the platform. */
	tenants: z.exactOptional(z.array(z.string())),
	/** Ids of the sessions that an observer token may read. Absent: all sessions. */
	sessions: z.exactOptional(z.array(z.string())),
	created_at: z.string(),
	last_used_at: z.exactOptional(z.string()),
	expires_at: z.exactOptional(z.string()),
	status: z.enum(["active", "expired", "revoked"]),
});

export const PersonPayload = z.object({
	/** Id of the person: `PLATFORM:TENANT:USER`. */
	person: z.string(),
	name: z.string(),
	role: z.enum(givenRoles),
	added_by: z.string(),
	created_at: z.string(),
});

/** An unused pairing code. The payload does not contain the code itself. */
export const PairingPayload = z.object({
	/** Id for `withdraw_pairing`. */
	id: z.string(),
	kind: z.enum(["invitation", "request"]),
	/** Platform of an invitation. An invitation without platform and tenant is valid everywhere. */
	platform: z.exactOptional(z.string()),
	/** Guild or team of an invitation. */
	tenant: z.exactOptional(z.string()),
	/** Person who requests access: `PLATFORM:TENANT:USER`. `USER` is the platform's own id of the person. */
	person: z.exactOptional(z.string()),
	/** Display name. */
	name: z.exactOptional(z.string()),
	/** Role that an invitation assigns. */
	role: z.exactOptional(z.enum(givenRoles)),
	created_at: z.string(),
	expires_at: z.string(),
});

export const mentions = ["required", "always"] as const;
export const sessionModes = ["shared", "person"] as const;
const maxContext = 50;
export const answerPlaces = ["channel", "thread"] as const;
export const statusModes = ["posts", "reactions"] as const;
export const busyModes = ["queue", "offer"] as const;
export const liveLevels = ["off", "text", "tools", "everything"] as const;

/** Channel settings. If a field is absent, the general setting applies. */
export const PlaceProfilePayload = z.strictObject({
	/** Name of an agent profile. */
	agent: z.exactOptional(z.string().min(1).max(128)),
	model: z.exactOptional(z.string().min(1).max(200)),
	/** Names of the available tools. The agent can use no other tools. */
	tools: z.exactOptional(z.array(z.string().min(1).max(64)).max(64)),
	/** Absolute path of the tools' working directory. It replaces the workspace of each session. */
	root: z.exactOptional(z.string().min(1).max(4096)),
	/** Ids of the channel's approvers. Absent: all people with the role approver or owner. */
	approvers: z.exactOptional(z.array(z.string().min(1).max(400)).max(100)),
	/**
	 * Other channels in which approvals from the channel's sessions may also be answered. In such a channel, its own
	 * approvers may answer.
	 */
	approve_in: z.exactOptional(z.array(z.string().min(1).max(400)).min(1).max(20)),
	/** Budget in US dollars per day for each session of the channel. */
	budget_usd: z.exactOptional(z.number().min(0).max(1_000_000)),
	/** Maximum bytes of the workspace. */
	quota_bytes: z.exactOptional(z.int().min(1)),
	/**
	 * Messages that the agent answers. `required`: only messages that address the agent. `always`: also messages that
	 * address no other person. For connectors.
	 */
	mention: z.exactOptional(z.enum(mentions)),
	/** Whether a channel has a shared conversation, or a conversation for each person. For connectors. */
	sessions: z.exactOptional(z.enum(sessionModes)),
	/**
	 * Parts of an answer that are displayed during the run. There are four levels: none, the text, text and tool calls,
	 * or text and tool calls with the subject of each call.
	 */
	live: z.exactOptional(z.enum(liveLevels)),
	/** Place of the answer to a mention: the channel, or a new thread. For connectors to platforms with threads. */
	answers: z.exactOptional(z.enum(answerPlaces)),
	/** Way to display the state of a message: by posts, or by reactions. For connectors to platforms with reactions. */
	status: z.exactOptional(z.enum(statusModes)),
	/**
	 * Handling of a message during a run: the message is queued, or the author may also add the message to the run. For
	 * connectors.
	 */
	busy: z.exactOptional(z.enum(busyModes)),
	/**
	 * Maximum earlier channel messages that the agent receives with a mention. 0: none, even in threads. For
	 * connectors.
	 */
	context: z.exactOptional(z.int().min(0).max(maxContext)),
	/** Hours before approvals of the channel expire. Default: 24. */
	approval_hours: z.exactOptional(z.number().min(0.1).max(720)),
});
export type PlaceProfilePayload = z.output<typeof PlaceProfilePayload>;

/**
 * A channel grant. Null in `people` means every person. Null in `tools` or `classes` means every call that does not
 * always require approval.
 */
export const GrantPayload = z.object({
	grant_id: z.string(),
	/** Channel of the grant: `PLATFORM:TENANT:CHANNEL`. */
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
	/** End time. Absent while the grant is active. */
	ended_at: z.exactOptional(z.string()),
	end_reason: z.exactOptional(z.string()),
});
export type GrantPayload = z.output<typeof GrantPayload>;

/** An open grant request for a channel. `prompt_response` with `token` answers the request. */
export const GrantRequestPayload = z.object({
	token: z.string(),
	/** Session of the request. */
	session_id: z.string(),
	place: z.string(),
	/** Person who made the request. */
	person: z.exactOptional(z.string()),
	/** Display name. */
	name: z.exactOptional(z.string()),
	people: z.array(z.string()).nullable(),
	tools: z.array(z.string()).nullable(),
	classes: z.array(z.string()).nullable(),
	max_actions: z.int(),
	minutes: z.number(),
	reason: z.string(),
	created_at: z.string(),
	/** Time at which the request expires. */
	expires_at: z.string(),
});
export type GrantRequestPayload = z.output<typeof GrantRequestPayload>;

/** Marks an action that ran without approval because of a channel grant. */
export const TrustedPayload = z.object({ grant_id: z.string(), until: z.string() });
export type TrustedPayload = z.output<typeof TrustedPayload>;

/** Result of a check of stored text in sessions. */
export const TextCheckPayload = z.object({
	ok: z.boolean(),
	/** Number of checked sessions, out of `all_sessions`. */
	sessions: z.int(),
	all_sessions: z.int(),
	/** Number of rows with a matching hash. */
	verified: z.int(),
	/** Number of rows without a hash, because an earlier version stored them. */
	unverified: z.int(),
	/** Number of changed, removed or moved rows. `examples` contains the first 10 of them. */
	faults: z.int(),
	examples: z.array(z.object({ session_id: z.string(), row: z.string(), reason: z.string() })),
});

export const AuditPayload = z.object({
	seq: z.int().min(1),
	ts: z.string(),
	principal: z.string(),
	/** Name of the wire, or `gateway`. */
	via: z.string(),
	action: z.string(),
	object: z.string(),
	decision: z.string(),
	args_sha256: z.exactOptional(z.string()),
	args: z.exactOptional(z.unknown()),
	grant_id: z.exactOptional(z.string()),
	hash: z.string(),
});

/** A policy rule. An absent condition matches every call. */
export const PolicyRulePayload = z.object({
	layer: z.string(),
	/** Position of a configured rule: `FILE:LINE`. */
	source: z.exactOptional(z.string()),
	effect: z.enum(["allow", "ask", "deny"]),
	reason: z.string(),
	/** Whether the rule requires approval regardless of grants. */
	floor: z.boolean(),
	/** Whether the rule has no effect. True for an `allow` rule of the workspace. */
	ignored: z.boolean(),
	tools: z.exactOptional(z.array(z.string())),
	classes: z.exactOptional(z.array(z.string())),
	commands: z.exactOptional(z.array(z.array(z.string()))),
	paths: z.exactOptional(z.array(z.string())),
	hosts: z.exactOptional(z.array(z.string())),
});
