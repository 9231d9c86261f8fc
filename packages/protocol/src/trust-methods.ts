import * as z from "zod";
import { Actor, Place } from "./on-behalf.ts";
import { key, maybe, notBlank, optionalSession } from "./params.ts";
import {
	AuditPayload,
	actionClasses,
	answerPlaces,
	busyModes,
	GrantPayload,
	GrantRequestPayload,
	givenRoles,
	liveLevels,
	mentions,
	PairingPayload,
	PersonPayload,
	PlaceProfilePayload,
	PolicyRulePayload,
	sessionModes,
	statusModes,
	TextCheckPayload,
	TokenPayload,
} from "./trust-payloads.ts";

const name = z
	.string()
	.regex(
		/^[a-z0-9][a-z0-9-]{0,39}$/,
		"must have 1 to 40 characters of a to z, 0 to 9 and -, and not begin with -",
	);
const platform = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "must be a platform such as discord or slack");
const tenant = z.string().regex(/^[^\s:]{1,128}$/u, "must be the platform's id of a guild or team");
const tokenId = z.string().regex(/^[0-9a-z]{4,26}$/, "must be the id of a token, or its beginning");
const person = z
	.string()
	.regex(/^[^\s:]+:[^\s:]+:[^\s:]+$/u, "must be PLATFORM:TENANT:USER")
	.max(400);
/** A channel, or all channels of a guild or team. */
const place = z
	.string()
	.regex(/^[^\s:]+:[^\s:]+(?::[^\s:]+)?$/u, "must be PLATFORM:TENANT:CHANNEL")
	.max(400);
const role = z.enum(givenRoles, { error: `must be one of ${givenRoles.join(", ")}` });
const time = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T08:00:00Z" });
const code = z.string().trim().max(64);
const hash = z
	.string()
	.regex(/^[0-9a-f]{64}$/, "must be the hash of a row: 64 characters of 0 to 9 and a to f");

export const trustMethods = {
	/** Creates a token. The text of the token is only in the response to this request. */
	create_token: {
		params: z.object({
			kind: z.enum(["observer", "connector", "operator"]),
			name,
			/** Platform of a connector token. */
			platform: maybe(platform),
			/** Guilds or teams of a connector token. Each of them is added to the allowed guilds and teams. */
			tenants: maybe(z.array(tenant).max(100)),
			/** Ids of the sessions that an observer token may read. */
			sessions: maybe(z.array(z.string().min(1).max(128)).max(100)),
			/** Lifetime of an observer token in days. Default: 30. Other tokens do not expire. */
			days: maybe(z.number().min(0.01).max(3650)),
			key,
		}),
		result: z.object({ token: z.string(), info: TokenPayload }),
	},
	list_tokens: { params: z.object({}), result: z.object({ tokens: z.array(TokenPayload) }) },
	rotate_token: {
		params: z.object({
			/** Name of the token, its id, or the beginning of the id. `operator` means the token of the data directory. */
			token_id: z.union([tokenId, name]),
			/** Remaining lifetime of the old token in seconds: at most ten minutes. Default: 0. */
			grace_seconds: maybe(z.int().min(0).max(600)),
			key,
		}),
		result: z.object({ token: z.string(), info: TokenPayload }),
	},
	/** Revokes a token. Open connections with the token end within 5 s. */
	revoke_token: {
		params: z.object({ token_id: z.union([tokenId, name]), key }),
		result: z.object({ status: z.literal("revoked"), info: TokenPayload }),
	},

	/**
	 * Redeems an invitation code. Without a code, requests access and returns a code that the operator can approve,
	 * unless the person already has access.
	 */
	pair: {
		params: z.object({ code: maybe(code), key }),
		result: z.discriminatedUnion("status", [
			z.object({ status: z.literal("paired"), person: z.string(), role }),
			z.object({ status: z.literal("requested"), code: z.string(), expires_at: z.string() }),
		]),
	},
	whoami: {
		params: z.object({}),
		result: z.object({
			principal: z.string(),
			kind: z.string(),
			/** The person for whom a connector acts, and the person's role. */
			person: z.exactOptional(z.string()),
			role: z.exactOptional(z.string()),
			/** Allowed actions, for example `session.write`. */
			may: z.array(z.string()),
			/** Advice for a person without access. */
			hint: z.exactOptional(z.string()),
			/** Channel settings for the connector. */
			place: z.exactOptional(
				z.object({
					mention: z.enum(mentions),
					sessions: z.enum(sessionModes),
					live: z.exactOptional(z.enum(liveLevels)),
					answers: z.exactOptional(z.enum(answerPlaces)),
					status: z.exactOptional(z.enum(statusModes)),
					busy: z.exactOptional(z.enum(busyModes)),
					context: z.exactOptional(z.int().min(0)),
					agent: z.exactOptional(z.string()),
					/**
					 * Contents of a welcome message. `posts`: whether connectors post the message. `approvers`: up to five
					 * people who may approve. `approver_roles`: up to five platform roles. People with one of these roles
					 * may approve.
					 */
					welcome: z.exactOptional(
						z.object({
							posts: z.boolean(),
							approvers: z.array(z.string()),
							approver_roles: z.exactOptional(z.array(z.string())),
							prompts: z.array(z.string()),
						}),
					),
				}),
			),
		}),
	},
	list_people: {
		params: z.object({}),
		result: z.object({ people: z.array(PersonPayload), waiting: z.array(PairingPayload) }),
	},
	/** Creates a code that gives one person access. The code is valid for an hour. */
	invite_person: {
		params: z.object({ role, platform: maybe(platform), tenant: maybe(tenant), key }),
		result: z.object({ code: z.string(), role, expires_at: z.string() }),
	},
	/** Approves the access request with the code `code`. The person received the code from `pair`. */
	approve_person: {
		params: z.object({ code: code.min(1), role, key }),
		result: PersonPayload,
	},
	/** Withdraws an invitation or denies an access request. */
	withdraw_pairing: {
		params: z.object({
			/** Code of the invitation or request, or its id from `list_people`. */
			pairing: code.min(1),
			key,
		}),
		result: z.object({ status: z.literal("withdrawn"), pairing: PairingPayload }),
	},
	/** A connector's answer to `person.check`. `late`: the check had already ended, so the answer has no effect. */
	report_person: {
		params: z.object({
			check_id: z.string().min(1).max(128),
			/** Whether the person is in the guild or team and has access to the channel. */
			present: z.boolean(),
			/** Reason if the person is not present: `left` the guild or team, or has `no_access` to the channel. */
			reason: maybe(z.enum(["left", "no_access"])),
			roles: Actor.shape.roles,
			guest: Actor.shape.guest,
			shared: Place.shape.shared,
		}),
		result: z.object({ status: z.enum(["taken", "late"]) }),
	},
	set_person_role: { params: z.object({ person, role, key }), result: PersonPayload },
	/**
	 * Removes a person's access and the notes about the person. Does not remove access that the configuration gives.
	 * `forgotten` is the number of removed notes.
	 */
	remove_person: {
		params: z.object({ person, key }),
		result: z.object({ status: z.literal("removed"), person: z.string(), forgotten: z.int().min(0) }),
	},

	list_places: {
		params: z.object({}),
		result: z.object({
			places: z.array(
				z.object({
					place: z.string(),
					profile: PlaceProfilePayload,
					/** Source of the settings: the configuration, or the operator at run time. */
					source: z.enum(["configuration", "operator"]),
				}),
			),
		}),
	},
	/**
	 * Replaces the settings of a channel, including configured settings. The agent, model, root and budget of open
	 * sessions do not change. All other settings apply immediately.
	 */
	set_place: {
		params: z.object({ place, profile: PlaceProfilePayload, key }),
		result: z.object({ place: z.string(), profile: PlaceProfilePayload }),
	},
	/** Removes the settings that the operator set at run time. Configured settings apply again. */
	remove_place: {
		params: z.object({ place, key }),
		result: z.object({ status: z.literal("removed"), place: z.string() }),
	},

	/** Explains whether a command or another call would run, require approval or be denied. Runs nothing. */
	test_policy: {
		params: z.object({
			session_id: optionalSession,
			/** Command line for `run_command`. */
			command: maybe(z.string().min(1).max(65_536)),
			/** A tool with its arguments, in place of a command. */
			tool: maybe(z.string().min(1).max(64)),
			arguments: maybe(z.record(z.string(), z.unknown())),
			/** Agent profile. The rules of the agent also apply. `place`: channel. The rules of the channel also apply. */
			agent: maybe(z.string().min(1).max(128)),
			place: maybe(place),
		}),
		result: z.object({
			effect: z.enum(["allow", "ask", "deny"]),
			/** Whether only a person's answer can approve the call. */
			floor: z.boolean(),
			reason: z.string(),
			classes: z.array(z.string()),
			/** Rules that match the call. The deciding rules precede the other rules. */
			rules: z.array(
				z.object({
					layer: z.string(),
					/** Position of a configured rule: `FILE:LINE`. */
					source: z.exactOptional(z.string()),
					effect: z.enum(["allow", "ask", "deny"]),
					reason: z.string(),
					decides: z.boolean(),
				}),
			),
			sandbox: z.string(),
			policy_version: z.string(),
		}),
	},
	/** Returns the rules for a session, an agent or a channel. Default: a new session of the operator. */
	show_policy: {
		params: z.object({
			session_id: optionalSession,
			agent: maybe(z.string().min(1).max(128)),
			place: maybe(place),
		}),
		result: z.object({
			policy_version: z.string(),
			/** Reason why a policy file is unusable. While it is unusable, every call is denied. */
			problem: z.exactOptional(z.string()),
			rules: z.array(PolicyRulePayload),
		}),
	},

	/**
	 * Requests a channel grant, which trusts a channel for a limited time. The operator's own request is granted
	 * immediately.
	 */
	request_grant: {
		params: z.object({
			/**
			 * Session and channel for a request from the operator. A request from a chat member is always for the channel
			 * in which the member makes the request.
			 */
			session_id: optionalSession,
			channel: maybe(place),
			people: maybe(z.array(person).max(100)),
			tools: maybe(z.array(z.string().min(1).max(64)).max(64)),
			classes: maybe(z.array(z.enum(actionClasses)).max(actionClasses.length)),
			max_actions: maybe(z.int().min(1).max(10_000)),
			minutes: maybe(z.int().min(1).max(1440)),
			reason: z.string().trim().max(500).regex(notBlank, "must contain a reason"),
			/**
			 * Whether to accept a channel without sessions. By default, such a channel is refused, because its id may be
			 * mistyped. Only for the operator.
			 */
			unseen: maybe(z.boolean()),
			key,
		}),
		result: z.discriminatedUnion("status", [
			z.object({ status: z.literal("granted"), grant: GrantPayload }),
			/** A `confirm` prompt in the session requests the grant. */
			z.object({ status: z.literal("requested"), token: z.string(), session_id: z.string() }),
		]),
	},
	list_grants: {
		params: z.object({ ended: maybe(z.boolean()) }),
		result: z.object({
			grants: z.array(GrantPayload),
			/** Open grant requests, oldest first. */
			wishes: z.array(GrantRequestPayload),
		}),
	},
	revoke_grant: {
		params: z.object({ grant_id: z.string().min(1).max(128), reason: maybe(z.string().max(500)), key }),
		result: z.object({ status: z.literal("revoked") }),
	},

	/**
	 * Returns the newest rows of the audit log or, with `after`, the next rows after the seq `after`. The newest row is
	 * last.
	 */
	read_audit: {
		params: z.object({
			since: maybe(time),
			until: maybe(time),
			principal: maybe(z.string().min(1).max(400)),
			/** Returns only rows with a higher seq. */
			after: maybe(z.int().min(0)),
			limit: maybe(z.int().min(1).max(1000)),
		}),
		result: z.object({ records: z.array(AuditPayload) }),
	},
	/** Verifies that no row of the audit log was changed. */
	verify_audit: {
		/**
		 * `anchor`: number and hash of a row, from the gateway's log. With an anchor, the check also detects that rows
		 * were removed at the end of the audit log.
		 */
		params: z.object({
			anchor: maybe(z.object({ seq: z.int().min(1), hash })),
			/**
			 * Whether to check the stored text of all sessions too. The check takes about 15 seconds for a million rows.
			 */
			messages: maybe(z.boolean()),
		}),
		result: z.object({
			ok: z.boolean(),
			records: z.int(),
			/** Number and hash of the last valid row. In an empty audit log, 0 and 64 zeros. */
			seq: z.int(),
			head: z.string(),
			/** First changed, missing, moved or added row, and the reason. */
			broken: z.exactOptional(z.object({ seq: z.int(), reason: z.string() })),
			/**
			 * Result of the check of stored text. Present if `messages` was true in the request. The `ok` outside
			 * `messages` covers only the audit log.
			 */
			messages: z.exactOptional(TextCheckPayload),
		}),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;
