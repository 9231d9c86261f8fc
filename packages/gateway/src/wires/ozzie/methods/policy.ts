import { defined, ParleyError, parseJson } from "@parley/base";
import {
	type AuditRow,
	type ListedRule,
	type OpenGrantRequest,
	placeKey,
	type RequestedGrant,
	type TextCheck,
} from "@parley/core";
import type { GrantRequestPayload, MethodResult } from "@parley/protocol";
import { ozzieErrorTexts } from "../../../texts/wires/ozzie.ts";
import { encodeGrant } from "../../shared/grant-json.ts";
import { toTime } from "../../shared/time.ts";
import { nameOfToken } from "../hidden-tokens.ts";
import { keyedRequest, type MethodsOf, type RequestOf } from "./request.ts";

export const policyMethods: MethodsOf<"test_policy" | "show_policy"> = {
	async test_policy({ deps }, { principal, params }) {
		const { command, tool, arguments: args } = params;
		if ((command === undefined) === (tool === undefined)) {
			throw new ParleyError(ozzieErrorTexts.commandOrTool, {
				code: "invalid_argument",
			});
		}
		const answer = await deps.runtime.trust.policies.test(principal, {
			tool: tool ?? "run_command",
			arguments: tool === undefined ? { cmd: command } : (args ?? {}),
			...placeIn(params),
		});
		const { policyVersion, classes, rules, effect, floor, reason, sandbox } = answer;
		return {
			effect,
			floor,
			reason,
			classes: [...classes],
			rules: rules.map(({ source, ...rule }) => defined({ ...rule, source })),
			sandbox,
			policy_version: policyVersion,
		};
	},

	async show_policy({ deps }, { principal, params }) {
		const { policyVersion, problem, rules } = await deps.runtime.trust.policies.list(
			principal,
			placeIn(params),
		);
		return defined({
			policy_version: policyVersion,
			problem,
			rules: rules.map(encodeRule),
		});
	},
};

interface PlaceParams {
	readonly session_id?: string | undefined;
	readonly agent?: string | undefined;
	readonly place?: string | undefined;
}

function placeIn({ session_id, agent, place }: PlaceParams): {
	readonly sessionId?: string;
	readonly agent?: string;
	readonly place?: string;
} {
	return defined({
		sessionId: session_id,
		agent,
		place,
	});
}

function encodeRule({
	tools,
	classes,
	commands,
	paths,
	hosts,
	...rule
}: ListedRule): MethodResult<"show_policy">["rules"][number] {
	return defined({
		...rule,
		tools: tools && [...tools],
		classes: classes && [...classes],
		commands: commands?.map((words) => [...words]),
		paths: paths && [...paths],
		hosts: hosts && [...hosts],
	});
}

/** Default duration of a grant in minutes. */
const defaultMinutes = 240;
/** Default number of calls that a grant allows. */
const defaultActions = 200;

export const grantMethods: MethodsOf<"request_grant" | "list_grants" | "revoke_grant"> = {
	async request_grant(connection, request) {
		const { grants } = connection.deps.runtime.trust;
		const { session_id: named, unseen = false } = request.params;
		const addressed = request.sessionId === undefined ? undefined : connection.target(request)?.id;
		// A person can request a grant for the current channel in any of the channel's sessions.
		const outcome = await grants.request(keyedRequest(request), decodeRequested(request), {
			sessionId: named ?? addressed,
			current: connection.current,
			unseen,
		});
		if (outcome.status === "granted") return { status: "granted", grant: encodeGrant(outcome.grant) };
		return { status: "requested", token: outcome.token, session_id: outcome.sessionId };
	},

	async list_grants({ deps }, { principal, params }) {
		const { grants: all } = deps.runtime.trust;
		const [grants, requests] = await Promise.all([
			all.list(principal, params.ended === true),
			all.requests(principal),
		]);
		const shown = (token: string): string => (principal.kind === "observer" ? nameOfToken(token) : token);
		return {
			wishes: requests.map((open) => encodeGrantRequest({ ...open, token: shown(open.token) })),
			grants: grants.map((grant): MethodResult<"list_grants">["grants"][number] =>
				defined({
					...encodeGrant(grant),
					ended_at: grant.endedAt === undefined ? undefined : toTime(grant.endedAt),
					end_reason: grant.endReason,
				}),
			),
		};
	},

	async revoke_grant(connection, request) {
		const { grant_id, reason = "" } = request.params;
		await connection.deps.runtime.trust.grants.revoke(keyedRequest(request), grant_id, reason);
		return { status: "revoked" };
	},
};

function decodeRequested({ params, principal }: RequestOf<"request_grant">): RequestedGrant {
	const { channel, people, tools, classes, minutes, max_actions, reason } = params;
	// A person requests a grant for the current channel, and an operator for the named channel.
	const place = principal.person ? placeKey(principal.person.place) : channel;
	if (place === undefined) {
		throw new ParleyError(ozzieErrorTexts.channel, {
			code: "invalid_argument",
		});
	}
	return {
		place,
		reason,
		people: people ?? null,
		tools: tools ?? null,
		classes: classes ?? null,
		maxActions: max_actions ?? defaultActions,
		lifeMs: (minutes ?? defaultMinutes) * 60_000,
	};
}

function encodeGrantRequest({
	token,
	sessionId,
	requested,
	createdAt,
	expiresAt,
}: OpenGrantRequest): GrantRequestPayload {
	const { place, people, tools, classes, maxActions, lifeMs, reason, by } = requested;
	return {
		token,
		session_id: sessionId,
		place,
		...defined({ person: by?.id, name: by?.name }),
		people: people && [...people],
		tools: tools && [...tools],
		classes: classes && [...classes],
		max_actions: maxActions,
		minutes: lifeMs / 60_000,
		reason,
		created_at: toTime(createdAt),
		expires_at: toTime(expiresAt),
	};
}

const defaultRows = 100;

export const auditMethods: MethodsOf<"read_audit" | "verify_audit"> = {
	async read_audit({ deps }, { principal, params }) {
		const { since, until, principal: by, after, limit = defaultRows } = params;
		const rows = await deps.runtime.trust.auditLog.read(
			principal,
			defined({
				limit,
				since: since === undefined ? undefined : Date.parse(since),
				until: until === undefined ? undefined : Date.parse(until),
				principal: by,
				after,
			}),
		);
		return { records: rows.map(encodeRow) };
	},

	async verify_audit({ deps }, { principal, params }) {
		const noted = params.anchor ? [params.anchor] : [];
		const { auditLog } = deps.runtime.trust;
		const { broken, ...facts } = await auditLog.verify(principal, noted);
		const messages = params.messages ? encodeTexts(await auditLog.verifyTexts(principal)) : undefined;
		return defined({ ...facts, broken: broken && { ...broken }, messages });
	},
};

type EncodedTexts = NonNullable<MethodResult<"verify_audit">["messages"]>;

function encodeTexts({ allSessions, examples, ...check }: TextCheck): EncodedTexts {
	return {
		...check,
		all_sessions: allSessions,
		examples: examples.map(({ sessionId, ...example }) => ({ session_id: sessionId, ...example })),
	};
}

function encodeRow(row: AuditRow): MethodResult<"read_audit">["records"][number] {
	const { principal, via, action, object, decision, args, args_sha256, grant_id, hash } = row;
	return defined({
		seq: Number(row.seq),
		ts: toTime(Number(row.at)),
		principal,
		via,
		action,
		object,
		decision,
		hash,
		args_sha256: args_sha256 ?? undefined,
		args: args === null ? undefined : parseJson(args),
		grant_id: grant_id ?? undefined,
	});
}
