import { defined } from "@parley/base";
import {
	actions,
	billionths,
	dollars,
	isAuthorized,
	type PairingFacts,
	type PersonFacts,
	type PlaceProfile,
	type Principal,
	placeKey,
	type TokenFacts,
} from "@parley/core";
import type { MethodResult, PlaceProfilePayload } from "@parley/protocol";
import { ozzieErrorTexts } from "../../../texts/wires/ozzie.ts";
import { toTime } from "../../shared/time.ts";
import { keyedRequest, type MethodsOf } from "./request.ts";

type PeopleMethod =
	| "pair"
	| "whoami"
	| "list_people"
	| "invite_person"
	| "approve_person"
	| "withdraw_pairing"
	| "report_person"
	| "set_person_role"
	| "remove_person";

export const peopleMethods: MethodsOf<PeopleMethod> = {
	async pair(connection, request) {
		const { people } = connection.deps.runtime.trust;
		const paired = await people.pair(keyedRequest(request), request.params.code);
		if (paired.status === "paired") return paired;
		return { status: "requested", code: paired.code, expires_at: toTime(paired.expiresAt) };
	},

	async whoami({ deps }, { principal }) {
		const { person } = principal;
		if (!person) return encodeSelf(principal);
		const { places } = deps.runtime.trust;
		const profile = places.profileOf(placeKey(person.place));
		const { mention, sessions, live, answers, status, busy, context, agent } = profile;
		const place = {
			mention: mention ?? "required",
			sessions: sessions ?? "shared",
			live: live ?? "tools",
			answers: answers ?? "channel",
			status: status ?? "posts",
			busy: busy ?? "queue",
			context: context ?? 20,
		} as const;
		const shown = await places.welcomeFor(person);
		const welcome = shown && {
			posts: shown.posts,
			approvers: shown.approvers,
			approver_roles: shown.approverRoles,
			prompts: shown.prompts,
		};
		return { ...encodeSelf(principal), place: defined({ ...place, agent, welcome }) };
	},

	async list_people({ deps }, { principal }) {
		const { people, waiting } = await deps.runtime.trust.people.list(principal);
		return {
			people: people.map(encodePerson),
			waiting: waiting.map(encodePairing),
		};
	},

	async invite_person(connection, request) {
		const { role, platform, tenant } = request.params;
		const invited = await connection.deps.runtime.trust.people.invite(
			keyedRequest(request),
			defined({ role, platform, tenant }),
		);
		return { code: invited.code, role: invited.role, expires_at: toTime(invited.expiresAt) };
	},

	async approve_person(connection, request) {
		const { code, role } = request.params;
		const { people } = connection.deps.runtime.trust;
		return encodePerson(await people.approve(keyedRequest(request), code, role));
	},

	async withdraw_pairing(connection, request) {
		const { people } = connection.deps.runtime.trust;
		const pairing = await people.withdraw(keyedRequest(request), request.params.pairing);
		return { status: "withdrawn", pairing: encodePairing(pairing) };
	},

	async report_person({ deps }, { principal, params }) {
		const { check_id, present, reason = "left", roles, guest, shared } = params;
		const report = present
			? ({ present, roles, guest, shared } as const)
			: ({ present: false, reason } as const);
		const isAccepted = deps.runtime.trust.checks.report(principal, check_id, report);
		return { status: isAccepted ? "taken" : "late" };
	},

	async set_person_role(connection, request) {
		const { person, role } = request.params;
		const { people } = connection.deps.runtime.trust;
		return encodePerson(await people.setRole(keyedRequest(request), person, role));
	},

	async remove_person(connection, request) {
		const { person } = request.params;
		const forgotten = await connection.deps.runtime.trust.people.remove(keyedRequest(request), person);
		return { status: "removed", person, forgotten };
	},
};

function encodePerson(facts: PersonFacts): MethodResult<"approve_person"> {
	const { id, name, role, addedBy, createdAt } = facts;
	return { person: id, name, role, added_by: addedBy, created_at: toTime(createdAt) };
}

function encodePairing({
	createdAt,
	expiresAt,
	...facts
}: PairingFacts): MethodResult<"list_people">["waiting"][number] {
	return { ...facts, created_at: toTime(createdAt), expires_at: toTime(expiresAt) };
}

function encodeSelf(principal: Principal): MethodResult<"whoami"> {
	const { id, kind, person } = principal;
	const may = actions.filter((action) => isAuthorized(principal, action));
	const isStranger = person?.role === "stranger";
	return defined({
		principal: id,
		kind,
		may,
		person: person?.id,
		role: person?.role,
		hint: isStranger ? ozzieErrorTexts.requestCode : undefined,
	});
}

type TokenMethod = "create_token" | "list_tokens" | "rotate_token" | "revoke_token";

const dayMs = 24 * 60 * 60 * 1000;

export const tokenMethods: MethodsOf<TokenMethod> = {
	async create_token(connection, request) {
		const { kind, name, platform, tenants, sessions, days } = request.params;
		const { runtime, now } = connection.deps;
		const { text, facts } = await runtime.trust.tokens.create(
			keyedRequest(request),
			defined({
				kind,
				name,
				platform,
				tenants,
				sessions,
				lifeMs: days === undefined ? undefined : days * dayMs,
			}),
		);
		return { token: text, info: encodeToken(facts, now()) };
	},

	async list_tokens({ deps }, { principal }) {
		const tokens = await deps.runtime.trust.tokens.list(principal);
		return { tokens: tokens.map((token) => encodeToken(token, deps.now())) };
	},

	async rotate_token(connection, request) {
		const { token_id, grace_seconds = 0 } = request.params;
		const { runtime, now } = connection.deps;
		const { text, facts } = await runtime.trust.tokens.rotate(
			keyedRequest(request),
			token_id,
			grace_seconds * 1000,
		);
		return { token: text, info: encodeToken(facts, now()) };
	},

	async revoke_token(connection, request) {
		const { runtime, now } = connection.deps;
		const facts = await runtime.trust.tokens.revoke(keyedRequest(request), request.params.token_id);
		return { status: "revoked", info: encodeToken(facts, now()) };
	},
};

function encodeToken(facts: TokenFacts, now: number): MethodResult<"revoke_token">["info"] {
	const { id, kind, name, platform, tenants, sessions, lastUsedAt, expiresAt, revokedAt } = facts;
	const expired = expiresAt !== undefined && expiresAt <= now;
	return {
		id,
		kind,
		name,
		created_at: toTime(facts.createdAt),
		...defined({
			platform,
			tenants: tenants && [...tenants],
			sessions: sessions && [...sessions],
			last_used_at: lastUsedAt === undefined ? undefined : toTime(lastUsedAt),
			expires_at: expiresAt === undefined ? undefined : toTime(expiresAt),
		}),
		status: revokedAt !== undefined ? "revoked" : expired ? "expired" : "active",
	};
}

const hourMs = 60 * 60 * 1000;

export const placeMethods: MethodsOf<"list_places" | "set_place" | "remove_place"> = {
	async list_places({ deps }, { principal }) {
		const places = await deps.runtime.trust.places.list(principal);
		return {
			places: places.map(({ key, profile, source }) => ({
				place: key,
				profile: encodeProfile(profile),
				source,
			})),
		};
	},

	async set_place(connection, request) {
		const { place, profile } = request.params;
		const { places } = connection.deps.runtime.trust;
		await places.set(keyedRequest(request), place, decodeProfile(profile));
		return { place, profile };
	},

	async remove_place(connection, request) {
		const { place } = request.params;
		await connection.deps.runtime.trust.places.remove(keyedRequest(request), place);
		return { status: "removed", place };
	},
};

function decodeProfile(payload: PlaceProfilePayload): PlaceProfile {
	const { budget_usd, quota_bytes, approval_hours, approve_in, ...same } = payload;
	return defined({
		...same,
		approveIn: approve_in,
		budget: budget_usd === undefined ? undefined : billionths(budget_usd),
		quotaBytes: quota_bytes,
		approvalMs: approval_hours === undefined ? undefined : approval_hours * hourMs,
	});
}

function encodeProfile({
	budget,
	quotaBytes,
	approvalMs,
	tools,
	approvers,
	approveIn,
	...same
}: PlaceProfile): PlaceProfilePayload {
	return defined({
		...same,
		tools: tools && [...tools],
		approvers: approvers && [...approvers],
		approve_in: approveIn && [...approveIn],
		budget_usd: budget === undefined ? undefined : dollars(budget),
		quota_bytes: quotaBytes,
		approval_hours: approvalMs === undefined ? undefined : approvalMs / hourMs,
	});
}
