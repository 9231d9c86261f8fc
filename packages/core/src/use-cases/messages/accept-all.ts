import { type Clock, type Ids, type Logger, ParleyError } from "@parley/base";
import type { Prompts } from "../../conversation/prompts.ts";
import type { SessionGrants } from "../../conversation/session-grants.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import { visible } from "../../text/visible.ts";
import { type Audit, requestedBy } from "../../trust/audit/audit.ts";
import { endTrust, grantTrust, type SessionTrust } from "../../trust/grants/session-trust.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { acceptAllTexts } from "./texts.ts";

export interface AcceptAllPorts extends KeyServices {
	readonly sessions: Sessions;
	readonly audit: Audit;
	readonly grants: SessionGrants;
	readonly ids: Ids;
	readonly log: Logger;
	readonly prompts: Prompts;
}

/**
 * Trusts the session and approves the open approvals that the trust covers, in one transaction. For a connector,
 * changes nothing and throws `permission_denied` unless a grant of the channel covers the person. For any other
 * principal, throws `failed_precondition` if the session belongs to a channel.
 */
export async function acceptAll(services: AcceptAllPorts, request: Keyed, sessionId: string): Promise<void> {
	const { sessions, audit, grants, log, prompts } = services;
	const { principal } = request;
	// For connectors, a grant of the channel replaces `accept_all_tools`.
	const chats = principal.kind === "connector";
	using lease = await sessions.lease(principal, sessionId, chats ? "session.write" : "trust.accept_all");
	const { session } = lease;
	if (chats) return grants.requireCover(principal, session);
	if (session.place !== undefined) throw belongsToChannel(session.place);
	let trust: SessionTrust | undefined;
	let approved: string[] = [];
	const outcome = await session.commit((tx, record) =>
		once(tx, request, services, async () => {
			trust = await grantTrust(tx, session.id, principal, services);
			const given = { action: "accept_all.give", object: session.id, decision: "allowed" };
			const args = { until: new Date(trust.expiresAt).toISOString() };
			await audit.record(tx, { ...requestedBy(principal), ...given, args, grantId: trust.id });
			approved = await prompts.approveOpen(tx, record, session, { by: principal, grantId: trust.id });
			return null;
		}),
	);
	if (outcome.repeated) return;
	session.trust = trust;
	const facts = { sessionId: session.id, principal: principal.id, answered: approved.length };
	log.info(acceptAllTexts.accepted, facts);
	for (const token of approved) session.wake(token);
}

/**
 * Ends the trust that the session got from `accept_all_tools`, if any. The trust still applies to runs that started under
 * this trust.
 */
export async function endAcceptAll(
	services: { readonly sessions: Sessions; readonly clock: Clock; readonly audit: Audit },
	by: Principal,
	sessionId: string,
): Promise<void> {
	using lease = await services.sessions.lease(by, sessionId, "trust.accept_all");
	const { session } = lease;
	const { trust } = session;
	if (!trust) return;
	await session.commit((tx) => endTrust(tx, { sessionId, id: trust.id, by }, services));
	session.trust = undefined;
}

function belongsToChannel(place: string): ParleyError {
	// In a channel, the trust would apply to all members, without the limits of a channel grant.
	const message = acceptAllTexts.notInChannel(visible(place));
	return new ParleyError(message, { code: "failed_precondition" });
}
