import type { CallBlock } from "../message.ts";
import { addTaint } from "../session/session-taint.ts";
import { joinTaints, type Taint, taintOf } from "../taint.ts";
import type { ToolResult } from "../tool.ts";
import { executeCall } from "../tool-call.ts";
import { beginCall } from "./begin-call.ts";
import {
	type ApprovedCall,
	decideCall,
	decideNow,
	isDecided,
	isPure,
	settleRepeat,
	type WaitingCall,
} from "./decide-call.ts";
import { releaseSecrets } from "./release-secrets.ts";
import { withinRoom } from "./result-pictures.ts";
import type { Run } from "./run.ts";
import { recordResult } from "./settle-call.ts";
import { ToolProgress } from "./tool-progress.ts";

/**
 * Brings all calls of one reply to their results: all are decided first, but for those that depend on others of them; then
 * they run in the model's order, calls without effect together. Throws `cancelled` when the run is stopped on the way.
 */
export async function runCalls(run: Run, calls: readonly CallBlock[]): Promise<void> {
	const waiting: WaitingCall[] = [];
	for (const call of calls) {
		const decided = await decideCall(run, call, waiting);
		run.signal.throwIfAborted();
		if (decided) waiting.push(decided);
	}
	let changed = false;
	for (const group of inGroups(waiting)) {
		run.signal.throwIfAborted();
		const wanted: ApprovedCall[] = [];
		for (const entry of group) {
			const call = await entryNow(run, entry, changed);
			if (call) wanted.push(call);
		}
		if (wanted.length > 0) await runGroup(run, wanted);
		changed ||= !group.every(isPure);
	}
}

/** The call as it is to run, when its turn has come; undefined where it has its result by then. */
async function entryNow(run: Run, entry: WaitingCall, changed: boolean): Promise<ApprovedCall | undefined> {
	// What nobody was asked about is looked at again: the calls before it may have changed what it works on.
	if (!isDecided(entry) || (changed && entry.token === undefined)) return decideNow(run, entry.call);
	// The same call may have failed too often by now, earlier in this very reply.
	return (await settleRepeat(run, entry.call)) ? undefined : entry;
}

/** Calls that run together at most. */
const maxTogether = 8;

/** Neighbours without effect form groups; every other call is a group of its own. */
function inGroups(waiting: readonly WaitingCall[]): WaitingCall[][] {
	const groups: WaitingCall[][] = [];
	for (const entry of waiting) {
		const group = groups.at(-1) ?? [];
		const joins = [...group, entry].every(isPure) && group.length > 0 && group.length < maxTogether;
		if (joins) group.push(entry);
		else groups.push([entry]);
	}
	return groups;
}

async function runGroup(run: Run, decided: readonly ApprovedCall[]): Promise<void> {
	const group: ApprovedCall[] = [];
	for (const entry of decided) {
		const begun = await beginCall(run, entry);
		if (begun) group.push(begun);
	}
	if (group.length === 0) return;
	const { failpoints } = run.session.deps;
	await failpoints.reach("tool-running");
	const results = await Promise.all(
		group.map(async (entry) => ({ call: entry.call, ...(await execute(run, entry)) })),
	);
	await failpoints.reach("tool-exit");
	// A call that was stopped with the gateway has no result: at the next start its outcome is unknown.
	if (run.cause === "parked") run.signal.throwIfAborted();
	const settled = await withinRoom(run, results);
	await run.commit(async (tx, record, step) => {
		for (const entry of settled) await recordResult(run, entry, { tx, record, step });
		await addTaint(tx, run.session.id, joinTaints(group.map(taintOfCall)));
	});
}

function taintOfCall({ ready }: ApprovedCall): Taint {
	return taintOf(ready.plan.classes);
}

async function execute(
	run: Run,
	entry: ApprovedCall,
): Promise<{ readonly result: ToolResult; readonly durationMs: number }> {
	const { clock } = run.session.deps;
	const beganAt = clock.monotonic();
	const result = await callTool(run, entry);
	return { result, durationMs: Math.round(clock.monotonic() - beganAt) };
}

async function callTool(run: Run, { ready, context, changed }: ApprovedCall): Promise<ToolResult> {
	const released = await releaseSecrets(run.session, ready);
	if (released.kind === "refused") return { text: released.text, failed: true };
	const progress = progressOf(run, context.callId);
	const listening = { ...context, progress: (chunk: Uint8Array) => progress.write(chunk) };
	const result = await executeCall(released, listening);
	progress.end();
	if (changed === undefined) return result;
	return { ...result, text: `[${changedNote(run, changed)}]\n${result.text}` };
}

function progressOf({ id: runId, session }: Run, callId: string): ToolProgress {
	return new ToolProgress({
		clock: session.deps.clock,
		redaction: () => session.redactor.stream(),
		pass: (text) => session.outlet.pass({ type: "tool.progress", runId, callId, text }),
	});
}

/** Characters of the changed arguments that the model is told: it knows its own. */
const mostTold = 4_000;

function changedNote({ session }: Run, changed: unknown): string {
	// Before it is cut: half of a secret is not found any more.
	const text = JSON.stringify(session.redactor.redactFields(changed));
	const told = text.length > mostTold ? `${text.slice(0, mostTold)}…` : text;
	return `the person who approved this changed the arguments to ${told}`;
}
