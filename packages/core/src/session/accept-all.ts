import { type Keyed, once } from "./idempotency.ts";
import { approveOpen } from "./prompts.ts";
import type { Session } from "./session.ts";
import { grantTrust, type Trust } from "./trust.ts";

/** Trusts the session from now on and answers its open approvals that this covers, in one transaction. */
export async function acceptAll(session: Session, request: Keyed): Promise<void> {
	let trust: Trust | undefined;
	let approved: string[] = [];
	const outcome = await session.commit((tx, record) =>
		once(tx, request, session.deps, async () => {
			trust = await grantTrust(tx, session.id, request.principal, session.deps);
			approved = await approveOpen(tx, record, session, request.principal.id);
			return null;
		}),
	);
	if (outcome.repeated) return;
	session.trust = trust;
	const { log } = session.deps;
	const facts = { sessionId: session.id, principal: request.principal.id, answered: approved.length };
	log.info("all tools of a session are accepted", facts);
	for (const token of approved) session.wake(token);
}
