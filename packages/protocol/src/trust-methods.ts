import * as z from "zod";
import { Actor, Place } from "./on-behalf.ts";
import { key, maybe, notBlank, optionalSession } from "./params.ts";
import {
	AuditPayload,
	actionClasses,
	GrantPayload,
	GrantRequestPayload,
	givenRoles,
	mentions,
	PairingPayload,
	PersonPayload,
	PlaceProfilePayload,
	PolicyRulePayload,
	sessionModes,
	TextCheckPayload,
	TokenPayload,
} from "./trust-payloads.ts";

const name = z
	.string()
	.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "must be 1 to 40 of a to z, 0 to 9 and -, and not begin with -");
const platform = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "must be a platform such as discord or slack");
const tenant = z.string().regex(/^[^\s:]{1,128}$/u, "must be the platform's id of a guild or team");
const tokenId = z.string().regex(/^[0-9a-z]{4,26}$/, "must be the id of a token, or its beginning");
const person = z
	.string()
	.regex(/^[^\s:]+:[^\s:]+:[^\s:]+$/u, "must be PLATFORM:TENANT:USER")
	.max(400);
/** A channel, or all of a guild or team. */
const place = z
	.string()
	.regex(/^[^\s:]+:[^\s:]+(?::[^\s:]+)?$/u, "must be PLATFORM:TENANT:CHANNEL")
	.max(400);
const role = z.enum(givenRoles, { error: `must be one of ${givenRoles.join(", ")}` });
const time = z.iso.datetime({ offset: true, error: "must be a time such as 2026-01-31T08:00:00Z" });
const code = z.string().trim().max(64);
const hash = z.string().regex(/^[0-9a-f]{64}$/, "must be the hash of a row: 64 of 0 to 9 and a to f");

/** Who may come in, what they may do, and what was decided. */
export const trustMethods = {
	/** The text of the token is in this one answer, and nowhere else. */
	create_token: {
		params: z.object({
			kind: z.enum(["observer", "connector", "operator"]),
			name,
			/** Of a connector: the one it speaks for. */
			platform: maybe(platform),
			/** Of a connector: guilds or teams that join those of its platform. */
			tenants: maybe(z.array(tenant).max(100)),
			/** Of an observer: all that it may see. */
			sessions: maybe(z.array(z.string().min(1).max(128)).max(100)),
			/** Until it expires: 30 for observers, never for others. */
			days: maybe(z.number().min(0.01).max(3650)),
			key,
		}),
		result: z.object({ token: z.string(), info: TokenPayload }),
	},
	list_tokens: { params: z.object({}), result: z.object({ tokens: z.array(TokenPayload) }) },
	rotate_token: {
		params: z.object({
			/** Its id, its name, or `operator` for the one of the data directory. */
			token_id: z.union([tokenId, name]),
			/** How long the old one still counts: at most ten minutes. */
			grace_seconds: maybe(z.int().min(0).max(600)),
			key,
		}),
		result: z.object({ token: z.string(), info: TokenPayload }),
	},
	/** Ends what it has open within 5 s. */
	revoke_token: {
		params: z.object({ token_id: z.union([tokenId, name]), key }),
		result: z.object({ status: z.literal("revoked"), info: TokenPayload }),
	},

	/** With a code of the operator: come in. Without: get a code that the operator can approve. */
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
			/** Of the person that a connector acts for. */
			person: z.exactOptional(z.string()),
			role: z.exactOptional(z.string()),
			/** What they may do, as words such as `session.write`. */
			may: z.array(z.string()),
			/** How to get more. */
			hint: z.exactOptional(z.string()),
			/** How the channel works that they are in, as far as connectors need it. */
			place: z.exactOptional(
				z.object({
					mention: z.enum(mentions),
					sessions: z.enum(sessionModes),
					agent: z.exactOptional(z.string()),
				}),
			),
		}),
	},
	list_people: {
		params: z.object({}),
		result: z.object({ people: z.array(PersonPayload), waiting: z.array(PairingPayload) }),
	},
	/** A code by which one person comes in, within the hour. */
	invite_person: {
		params: z.object({ role, platform: maybe(platform), tenant: maybe(tenant), key }),
		result: z.object({ code: z.string(), role, expires_at: z.string() }),
	},
	/** Lets in who got this code from `pair`. */
	approve_person: {
		params: z.object({ code: code.min(1), role, key }),
		result: PersonPayload,
	},
	/** Takes an invitation back, or refuses who asked to be let in. */
	withdraw_pairing: {
		params: z.object({
			/** The code, or the id that `list_people` shows. */
			pairing: code.min(1),
			key,
		}),
		result: z.object({ status: z.literal("withdrawn"), pairing: PairingPayload }),
	},
	/** The answer of a connector to `person.check`. The first one counts: `late` says that this one did not. */
	report_person: {
		params: z.object({
			check_id: z.string().min(1).max(128),
			/** Whether the person is in the guild or team, and can write in the place. */
			present: z.boolean(),
			/** If not present: `left` the guild or team, or has `no_access` to the place. */
			reason: maybe(z.enum(["left", "no_access"])),
			roles: Actor.shape.roles,
			guest: Actor.shape.guest,
			shared: Place.shape.shared,
		}),
		result: z.object({ status: z.enum(["taken", "late"]) }),
	},
	set_person_role: { params: z.object({ person, role, key }), result: PersonPayload },
	/** Removes a person, and the notes about them: `forgotten` is their number. */
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
					/** Where it was said: the configuration, or at run time. */
					source: z.enum(["configuration", "operator"]),
				}),
			),
		}),
	},
	/**
	 * Replaces what was said of the channel, the configuration's word too. Sessions that are open keep their agent, model,
	 * root and budget; all else holds at once.
	 */
	set_place: {
		params: z.object({ place, profile: PlaceProfilePayload, key }),
		result: z.object({ place: z.string(), profile: PlaceProfilePayload }),
	},
	/** The configuration's word, where there is one, holds again. */
	remove_place: {
		params: z.object({ place, key }),
		result: z.object({ status: z.literal("removed"), place: z.string() }),
	},

	/** Why a command or another call would be asked about, run or denied. Nothing runs. */
	test_policy: {
		params: z.object({
			session_id: optionalSession,
			/** A command line for `run_command`. */
			command: maybe(z.string().min(1).max(65_536)),
			/** Instead of a command: a tool, and what it would be called with. */
			tool: maybe(z.string().min(1).max(64)),
			arguments: maybe(z.record(z.string(), z.unknown())),
			/** An agent profile, and a channel, whose rules hold too. */
			agent: maybe(z.string().min(1).max(128)),
			place: maybe(place),
		}),
		result: z.object({
			effect: z.enum(["allow", "ask", "deny"]),
			/** Whether nothing but a person's own answer can let it run. */
			floor: z.boolean(),
			reason: z.string(),
			classes: z.array(z.string()),
			/** What spoke to it, the deciding ones first. */
			rules: z.array(
				z.object({
					layer: z.string(),
					/** `FILE:LINE` of a rule that somebody wrote. */
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
	/** The rules that hold in a session, for an agent, in a channel; a new session of the operator's where nothing is named. */
	show_policy: {
		params: z.object({
			session_id: optionalSession,
			agent: maybe(z.string().min(1).max(128)),
			place: maybe(place),
		}),
		result: z.object({
			policy_version: z.string(),
			/** Why a layer cannot be read: then every call is denied. */
			problem: z.exactOptional(z.string()),
			rules: z.array(PolicyRulePayload),
		}),
	},

	/** Asks those who may that the channel's calls run unasked for a while. The operator's own word counts at once. */
	request_grant: {
		params: z.object({
			/** For the operator; a connector's person means the place they are in. */
			session_id: optionalSession,
			channel: maybe(place),
			people: maybe(z.array(person).max(100)),
			tools: maybe(z.array(z.string().min(1).max(64)).max(64)),
			classes: maybe(z.array(z.enum(actionClasses)).max(actionClasses.length)),
			max_actions: maybe(z.int().min(1).max(10_000)),
			minutes: maybe(z.int().min(1).max(1440)),
			reason: z.string().trim().max(500).regex(notBlank, "must say why"),
			/** For the operator: also a channel in which nothing was said yet, whose id may be mistyped. */
			unseen: maybe(z.boolean()),
			key,
		}),
		result: z.discriminatedUnion("status", [
			z.object({ status: z.literal("granted"), grant: GrantPayload }),
			/** A `confirm` prompt of the session asks for it. */
			z.object({ status: z.literal("requested"), token: z.string(), session_id: z.string() }),
		]),
	},
	list_grants: {
		params: z.object({ ended: maybe(z.boolean()) }),
		result: z.object({
			grants: z.array(GrantPayload),
			/** What people ask for and nobody has answered, the oldest first. */
			wishes: z.array(GrantRequestPayload),
		}),
	},
	revoke_grant: {
		params: z.object({ grant_id: z.string().min(1).max(128), reason: maybe(z.string().max(500)), key }),
		result: z.object({ status: z.literal("revoked") }),
	},

	/** What was decided and done, newest last. */
	read_audit: {
		params: z.object({
			since: maybe(time),
			until: maybe(time),
			principal: maybe(z.string().min(1).max(400)),
			/** Only rows with a higher seq. */
			after: maybe(z.int().min(0)),
			limit: maybe(z.int().min(1).max(1000)),
		}),
		result: z.object({ records: z.array(AuditPayload) }),
	},
	/** Whether all rows still are as they were written. */
	verify_audit: {
		/** `anchor` is a row as the gateway's log noted it once: what was cut off behind shows by it. */
		params: z.object({
			anchor: maybe(z.object({ seq: z.int().min(1), hash })),
			/** Whether the stored text of all sessions is checked as well: about 15 seconds for a million rows. */
			messages: maybe(z.boolean()),
		}),
		result: z.object({
			ok: z.boolean(),
			records: z.int(),
			/** The number of the last row that was looked at, and its hash. */
			seq: z.int(),
			head: z.string(),
			/** The first row that does not fit, and why. */
			broken: z.exactOptional(z.object({ seq: z.int(), reason: z.string() })),
			/** Present if `messages` was true. `ok` above is about the audit alone. */
			messages: z.exactOptional(TextCheckPayload),
		}),
	},
} satisfies Record<string, { params: z.ZodObject; result: z.ZodType }>;
