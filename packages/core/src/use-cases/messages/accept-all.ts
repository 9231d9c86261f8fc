import { ParleyError } from "@parley/base";
import { approveOpen } from "../../conversation/prompts.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { type Keyed, once } from "../../store/idempotency.ts";
import { visible } from "../../text/visible.ts";
import { askedBy } from "../../trust/audit/audit.ts";
import { endTrust, grantTrust, type Trust } from "../../trust/session-trust.ts";
import type { Principal } from "../../vocabulary/principal.ts";

/**
 * Trusts the session from now on and answers its open approvals that this covers, in one transaction. For a chat
 * platform it changes nothing, and throws `permission_denied` where the channel is not trusted. Nobody else trusts a
 * session of a channel by it: that throws `failed_precondition`.
 */
export async function acceptAll(sessions: Sessions, request: Keyed, sessionId: string): Promise<void> {
	const { principal } = request;
	// Who talks in the channel has what its grant gives already: there is no more to get.
	const chats = principal.kind === "connector";
	using lease = await sessions.lease(principal, sessionId, chats ? "session.write" : "trust.accept_all");
	const { session } = lease;
	if (chats) return session.deps.grants.requireCover(principal, session);
	if (session.place !== undefined) throw belongsToChannel(session.place);
	let trust: Trust | undefined;
	let approved: string[] = [];
	const outcome = await session.commit((tx, record) =>
		once(tx, request, session.deps, async () => {
			trust = await grantTrust(tx, session.id, principal, session.deps);
			const given = { action: "accept_all.give", object: session.id, decision: "allowed" };
			const args = { until: new Date(trust.expiresAt).toISOString() };
			await session.deps.audit.record(tx, {
				...{ ...askedBy(principal), ...given, args },
				grantId: trust.id,
			});
			approved = await approveOpen(tx, record, session, { by: principal, grantId: trust.id });
			return null;
		}),
	);
	if (outcome.repeated) return;
	session.trust = trust;
	const { log } = session.deps;
	const facts = { sessionId: session.id, principal: principal.id, answered: approved.length };
	log.info("all tools of a session are accepted", facts);
	for (const token of approved) session.wake(token);
}

/** Takes back what `acceptAll` gave: from now on people are asked again. */
export async function endAcceptAll(sessions: Sessions, by: Principal, sessionId: string): Promise<void> {
	using lease = await sessions.lease(by, sessionId, "trust.accept_all");
	const { session } = lease;
	const { trust } = session;
	if (!trust) return;
	await session.commit((tx) => endTrust(tx, { sessionId, id: trust.id, by }, session.deps));
	session.trust = undefined;
}

/** It would hold for whoever speaks there, and without what a grant of the channel brings: its badge, its limit, its end. */
function belongsToChannel(place: string): ParleyError {
	const message = `the session belongs to a channel, where accept_all_tools does not count: trust the channel with parley trust grant ${visible(place)} --reason …`;
	return new ParleyError(message, { code: "failed_precondition" });
}
