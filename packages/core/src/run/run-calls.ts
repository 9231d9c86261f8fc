import type { CallBlock } from "../message.ts";
import { addTaint } from "../session/session-taint.ts";
import { joinTaints, type Taint, taintOf } from "../taint.ts";
import type { ToolResult } from "../tool.ts";
import { executeCall } from "../tool-call.ts";
import { outputLimits } from "../tools/shorten-output.ts";
import type { ApprovedCall } from "./ask-approval.ts";
import { atItsTurn, beginCall, Decisions } from "./begin-call.ts";
import { CallOutput } from "./call-output.ts";
import { isPure, type ProposedCall, proposeCalls } from "./propose-calls.ts";
import { releaseSecrets } from "./release-secrets.ts";
import { withinRoom } from "./result-pictures.ts";
import type { Run } from "./run.ts";
import { adjustedNote, recordResult, type SettledCall, withNote } from "./settle-call.ts";
import { ToolProgress } from "./tool-progress.ts";

/**
 * Brings all calls of one reply to their results. Calls that can be planned are proposed together; then they run in the
 * order of the model, each when it is decided and the calls before it have ended. Calls without effect run together.
 * Throws `cancelled` if the run is stopped.
 */
export async function runCalls(run: Run, calls: readonly CallBlock[]): Promise<void> {
	for (let open = calls; open.length > 0; ) open = await runProposed(run, open);
}

/** Runs the calls that can be proposed now, and returns those that must be planned after them. */
async function runProposed(run: Run, calls: readonly CallBlock[]): Promise<readonly CallBlock[]> {
	const proposed = await proposeCalls(run, calls);
	const planned = proposed.filter((one) => one.kind === "proposed");
	await using decisions = new Decisions(run);
	for (const one of planned) decisions.await(one);
	let changed = false;
	for (const group of inGroups(planned)) {
		const wanted: ApprovedCall[] = [];
		for (const one of group) {
			const call = await atItsTurn(run, await decisions.of(one), changed);
			if (call) wanted.push(call);
		}
		if (wanted.length > 0) await runGroup(run, wanted);
		changed ||= !group.every(isPure);
	}
	return proposed.flatMap((one) => (one.kind === "dependent" ? [one.call] : []));
}

/** Maximum number of calls that run together. */
const maxTogether = 8;

/** Whether a call can share its turn: an approval of one call must not delay its neighbours. */
function runsAtOnce(one: ProposedCall): boolean {
	return isPure(one) && one.prompt === undefined;
}

/** Neighbours that are allowed and have no effect form groups; every other call is a group of its own. */
function inGroups(planned: readonly ProposedCall[]): ProposedCall[][] {
	const groups: ProposedCall[][] = [];
	for (const entry of planned) {
		const group = groups.at(-1) ?? [];
		const joins = [...group, entry].every(runsAtOnce) && group.length > 0 && group.length < maxTogether;
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
	await using outputs = new AsyncDisposableStack();
	const results = await Promise.all(
		group.map(async (entry) => {
			const output = outputs.use(new CallOutput(run, entry.call.id));
			return { call: entry.call, output, ...(await execute(run, entry, output)) };
		}),
	);
	await failpoints.reach("tool-exit");
	// A call that was stopped with the gateway has no result: at the next start its outcome is unknown.
	if (run.control.cause === "parked") run.control.signal.throwIfAborted();
	const settled = await withinRoom(run, results);
	const told = await Promise.all(settled.map((entry) => tell(run, entry)));
	await run.commit(async ({ tx, record, step }) => {
		for (const entry of told) await recordResult(run, entry, { tx, record, step });
		await addTaint(tx, run.session.id, joinTaints(group.map(taintOfCall)));
	});
}

function taintOfCall({ ready }: ApprovedCall): Taint {
	return taintOf(ready.plan.classes);
}

/** A call that has run. */
interface RanCall {
	readonly call: CallBlock;
	readonly output: CallOutput;
	readonly result: ToolResult;
	readonly durationMs: number;
}

/** Takes secrets out of a result before it is cut: a half of one would not be found. */
async function tell(run: Run, { call, output, result, durationMs }: RanCall): Promise<SettledCall> {
	const text = run.session.redactor.into("tool").redact(result.text);
	const note = adjustedNote(call);
	const told = await output.shorten(text, outputLimits.characters - note.length - 1);
	return { call, result: { ...result, text: withNote(text, note) }, told: withNote(told, note), durationMs };
}

async function execute(
	run: Run,
	entry: ApprovedCall,
	output: CallOutput,
): Promise<Pick<RanCall, "result" | "durationMs">> {
	const { clock } = run.session.deps;
	const beganAt = clock.monotonic();
	const result = await callTool(run, entry, output);
	return { result, durationMs: Math.round(clock.monotonic() - beganAt) };
}

async function callTool(
	run: Run,
	{ ready, context, changed }: ApprovedCall,
	output: CallOutput,
): Promise<ToolResult> {
	const released = await releaseSecrets(run.session, ready);
	if (released.kind === "refused") return { text: released.text, failed: true };
	const progress = progressOf(run, context.callId);
	const heard = (chunk: Uint8Array): void => {
		progress.write(chunk);
		output.write(chunk);
	};
	const result = await executeCall(released, { ...context, progress: heard });
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
