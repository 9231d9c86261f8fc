import { addTaint } from "../session/session-taint.ts";
import { taintOf } from "../taint.ts";
import { changedNote } from "./ask-approval.ts";
import { auditStart, isGated } from "./audit-call.ts";
import { type ApprovedCall, decideNow } from "./decide-call.ts";
import { versionFor } from "./plan-call.ts";
import type { Run } from "./run.ts";
import { settleCall } from "./settle-call.ts";

/**
 * Says that the call is about to run, and returns it as it is to run. What it was decided by is looked at once more:
 * where rules have changed an approval counts no more, and what nobody was asked about is decided again. Undefined where
 * the call has its result by then.
 */
export async function beginCall(run: Run, decided: ApprovedCall): Promise<ApprovedCall | undefined> {
	const { call } = decided;
	for (let entry: ApprovedCall | undefined = decided; entry; ) {
		run.signal.throwIfAborted();
		if (await recordIntent(run, entry)) return entry;
		if (entry.token !== undefined) {
			return settleCall(run, call, { text: `${changedNote}: policy; nothing was run`, failed: true });
		}
		entry = await decideNow(run, call);
	}
	return undefined;
}

/**
 * Uses up the approval, or counts against the channel's grant, and writes down that the call begins, in one transaction;
 * false where it may not begin.
 */
async function recordIntent(run: Run, entry: ApprovedCall): Promise<boolean> {
	const { grants } = run.session.deps;
	const { token, trusted, version, call, ready } = entry;
	const gated = isGated(entry);
	if (versionFor(run) !== version) return false;
	if (ready.tool.effect === "none" && !gated) return true;
	const begins = await run.commit(async (tx, _record, step) => {
		const use = trusted ? await grants.use(tx, trusted.grantId) : "counted";
		if (use === "ended") return use;
		if (token !== undefined) {
			await tx.updateTable("prompts").set({ state: "consumed" }).where("token", "=", token).execute();
		}
		if (gated) await auditStart(run, tx, entry);
		await step({ kind: "intent", callId: call.id, ...(gated && { gated }) });
		await addTaint(tx, run.session.id, taintOf(ready.plan.classes));
		return use;
	});
	if (begins === "last") await grants.review(run.session.place);
	return begins !== "ended";
}
