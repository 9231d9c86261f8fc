import { defined } from "@parley/base";
import type { Prompts } from "../../conversation/prompts.ts";
import type { SessionGrants } from "../../conversation/session-grants.ts";
import { addTaint } from "../../store/session-taint.ts";
import { taintOf } from "../../vocabulary/taint.ts";
import { refuseRepeat } from "../run/limits.ts";
import type { Run } from "../run/run.ts";
import { changedNote, decisionOf } from "./ask-person.ts";
import type { ApprovedCall, ProposedCall } from "./call-states.ts";
import { type JudgePorts, judgeCall, nothingPending } from "./judge-call.ts";
import { type ProposalPorts, proposeCalls } from "./propose-calls.ts";
import { auditStart, isGated, settleCall } from "./record-call.ts";
import { approvalTexts } from "./texts.ts";

/** Waits for the decisions about calls. The decisions may arrive in any order. Disposal ends the waits. */
export class Decisions implements AsyncDisposable {
	readonly #run: Run;
	readonly #ended = new AbortController();
	readonly #pending = new Map<ProposedCall, Pending>();
	readonly #arrived = new Set<ProposedCall>();
	readonly #prompts: Prompts;

	constructor(run: Run, prompts: Prompts) {
		this.#run = run;
		this.#prompts = prompts;
	}

	/**
	 * Starts to wait for the decision about a call. A denial or an expiry is recorded as the result immediately, even
	 * before the turn of the call.
	 */
	await(proposed: ProposedCall): void {
		const withdrawal = new AbortController();
		const signal = AbortSignal.any([this.#run.control.signal, this.#ended.signal, withdrawal.signal]);
		const decision = decisionOf(this.#run, proposed, this.#prompts, signal).finally(() =>
			this.#arrived.add(proposed),
		);
		this.#pending.set(proposed, { decision, withdrawal });
		// A failure of the decision is handled at the turn of the call.
		decision.catch(() => undefined);
	}

	/** Whether `of` does not have to wait: the call needs no approval, or its approval is decided. */
	isDecided(proposed: ProposedCall): boolean {
		return proposed.prompt === undefined || this.#arrived.has(proposed);
	}

	/**
	 * Waits for the decision about a call, and pauses the working time of the run. Returns the call, or undefined if the
	 * call was refused. Throws if the run is stopped.
	 */
	async of(proposed: ProposedCall): Promise<ApprovedCall | undefined> {
		this.#run.control.signal.throwIfAborted();
		if (!this.isDecided(proposed)) this.#run.control.parkIfStopping();
		if (proposed.prompt) this.#run.control.working.stop();
		try {
			return await this.#pending.get(proposed)?.decision;
		} finally {
			this.#run.control.working.start();
		}
	}

	/**
	 * Stops waiting for the decision about a call. Ignores an approval that has arrived. A denial that has arrived stays
	 * recorded as the result.
	 */
	async withdraw(proposed: ProposedCall): Promise<void> {
		const pending = this.#pending.get(proposed);
		this.#pending.delete(proposed);
		pending?.withdrawal.abort();
		await Promise.allSettled([pending?.decision]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ended.abort();
		await Promise.allSettled([...this.#pending.values()].map(({ decision }) => decision));
	}
}

interface Pending {
	readonly decision: Promise<ApprovedCall | undefined>;
	readonly withdrawal: AbortController;
}

/**
 * Returns the call if it may start at its turn. Otherwise records its result and returns undefined. The call is
 * proposed again if its judgement has become stricter, or if it has no approval and earlier calls may have changed
 * its plan.
 */
export async function atItsTurn(
	run: Run,
	decided: ApprovedCall | undefined,
	changed: boolean,
	ports: ProposalPorts,
): Promise<ApprovedCall | undefined> {
	for (let call = decided, isStale = changed; call; isStale = false) {
		if (call.refusal !== undefined) return settleCall(run, call.call, { text: call.refusal, failed: true });
		// The approver has already decided about the repetition, so only calls without an approval are checked.
		const repeated = call.token === undefined ? refuseRepeat(run.steps, call.call) : undefined;
		if (repeated !== undefined) return settleCall(run, call.call, { text: repeated, failed: true });
		const mustReplan = call.token === undefined && isStale;
		if (!mustReplan && !(await isStricter(run, call, ports))) return call;
		call = await repeatDecision(run, call, ports);
	}
	return undefined;
}

/** Whether the call is now judged more strictly than when it was allowed or approved. */
async function isStricter(run: Run, call: ApprovedCall, ports: JudgePorts): Promise<boolean> {
	const now = await judgeCall(run, call, nothingPending, ports);
	if (now.effect === "deny") return true;
	if (call.token === undefined) return now.effect !== "allow";
	const { notes = [] } = call.shown ?? {};
	return now.floor && !notes.includes(run.session.redactor.into("question").redact(now.reason));
}

/**
 * Proposes the call again, without its earlier approvals. Returns the approved call, or undefined if the call must not
 * run.
 */
async function repeatDecision(
	run: Run,
	{ call, token }: ApprovedCall,
	ports: ProposalPorts,
): Promise<ApprovedCall | undefined> {
	const repeated = token === undefined ? undefined : { notes: [] };
	const [proposed] = await proposeCalls(run, [call], ports, repeated);
	if (proposed?.kind !== "proposed") return undefined;
	await using decisions = new Decisions(run, ports.prompts);
	decisions.await(proposed);
	return await decisions.of(proposed);
}

/**
 * Records the start of a call that has effects or belongs in the audit log. Returns the call that runs. For a refused
 * call, records the result and returns undefined. If the policy changed, an approved call is refused. A call without an
 * approval is decided again if the policy changed or its channel grant ended. Throws if the run is stopped.
 */
export async function beginCall(
	run: Run,
	decided: ApprovedCall,
	ports: ProposalPorts,
): Promise<ApprovedCall | undefined> {
	const { call } = decided;
	for (let entry: ApprovedCall | undefined = decided; entry; ) {
		run.control.signal.throwIfAborted();
		if (await recordIntent(run, entry, ports.grants)) return entry;
		if (entry.token !== undefined) {
			return settleCall(run, call, { text: approvalTexts.changedPolicy(changedNote), failed: true });
		}
		entry = await atItsTurn(run, await repeatDecision(run, entry, ports), false, ports);
	}
	return undefined;
}

/**
 * Records the start of a call, and uses its approval or channel grant in the same transaction. A call that has no
 * effects and is not audited starts without a record. Returns false if the call may not start: the policy changed, or
 * the channel grant ended.
 */
async function recordIntent(run: Run, entry: ApprovedCall, grants: SessionGrants): Promise<boolean> {
	const { token, trusted, version, call, ready } = entry;
	const gated = isGated(entry);
	if (run.policy.version !== version) return false;
	if (ready.tool.effect === "none" && !gated) return true;
	const begins = await run.commit(async (writing) => {
		const { tx, step } = writing;
		const use = trusted ? await grants.use(tx, trusted.grantId) : "counted";
		if (use === "ended") return use;
		if (token !== undefined) {
			await tx.updateTable("prompts").set({ state: "consumed" }).where("token", "=", token).execute();
		}
		if (gated) await auditStart(run, writing, entry);
		await step({ kind: "intent", callId: call.id, ...defined({ gated: gated || undefined }) });
		await addTaint(tx, run.session.id, taintOf(ready.plan.classes));
		return use;
	});
	if (begins === "last") await grants.review(run.session.place);
	return begins !== "ended";
}
