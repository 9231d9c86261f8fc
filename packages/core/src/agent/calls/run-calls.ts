import { openPassword } from "../../conversation/passwords.ts";
import { isAnyDenied, isApproved } from "../../conversation/prompt-rows.ts";
import { addTaint } from "../../store/session-taint.ts";
import { outputLimits } from "../../text/shorten-output.ts";
import { visible } from "../../text/visible.ts";
import { changedSince, executeCall, type ReadyCall, type RefusedCall } from "../../tools/calls/tool-call.ts";
import { changedNames, differences } from "../../tools/commands/surroundings.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import type { SecretBox } from "../../vocabulary/secrets.ts";
import { ranSinceQuestion } from "../../vocabulary/step.ts";
import { joinTaints, type Taint, taintOf } from "../../vocabulary/taint.ts";
import type { SharedFilesFacts, ToolResult } from "../../vocabulary/tool.ts";
import { withinRoom } from "../images/attachments.ts";
import type { ImagePorts } from "../images/room-for-images.ts";
import type { Run } from "../run/run.ts";
import { changedNote, readApproval } from "./ask-person.ts";
import { atItsTurn, beginCall, Decisions } from "./begin-call.ts";
import { CallOutput, ToolProgress } from "./call-output.ts";
import type { ApprovedCall, PlannedCall, ProposedCall, SettledCall } from "./call-states.ts";
import { bindingOf, replan } from "./judge-call.ts";
import {
	filesChangedNote,
	isPure,
	type ProposalPorts,
	proposeCalls,
	refuseProposed,
} from "./propose-calls.ts";
import { adjustedNote, recordResult, withNote } from "./record-call.ts";
import { approvalTexts, callTexts } from "./texts.ts";

export interface CallPorts extends ProposalPorts, ImagePorts {
	/** Decrypts passwords that people typed. */
	readonly secrets: SecretBox;
}

/**
 * Runs the calls of one reply in the order of the reply. Calls that can be planned are proposed together. Each call
 * waits for its decision and for the end of earlier calls, but adjacent calls without effect run together. If a denial
 * ends the run, calls that are not planned yet do not run. Throws if the run is stopped.
 */
export async function runCalls(run: Run, calls: readonly CallBlock[], ports: CallPorts): Promise<void> {
	for (let open = calls; open.length > 0; ) {
		open = await runProposed(run, open, ports);
		if (open.length > 0 && (await isCancelledByDenial(run, calls))) return;
	}
}

export async function isCancelledByDenial(run: Run, calls: readonly CallBlock[]): Promise<boolean> {
	if (run.row.options.onDenied !== "cancel" || calls.length === 0) return false;
	const filter = { runId: run.id, callIds: calls.map(({ id }) => id) };
	return run.journal.store.read((db) => isAnyDenied(db, filter));
}

/**
 * Runs the calls that can be planned now. Returns the dependent calls, which are planned after these calls have run.
 */
async function runProposed(
	run: Run,
	calls: readonly CallBlock[],
	ports: CallPorts,
): Promise<readonly CallBlock[]> {
	const proposed = await proposeCalls(run, calls, ports);
	const planned = proposed.filter((one) => one.kind === "proposed");
	await using decisions = new Decisions(run, ports.prompts);
	for (const one of planned) decisions.await(one);
	if (run.row.options.start === "allDecided") for (const one of planned) await decisions.of(one);
	let changed = false;
	for (let waiting: readonly ProposedCall[] = planned; waiting.length > 0; ) {
		waiting = await repeatChangedQuestion(run, waiting, decisions, ports);
		const group = await nextGroup(waiting, decisions);
		waiting = waiting.slice(group.length);
		const decided: ApprovedCall[] = [];
		for (const one of group) {
			const call = await atItsTurn(run, await decisions.of(one), changed, ports);
			if (call) decided.push(call);
		}
		if (decided.some(hasEffect)) waiting = await refuseIfChanged(run, waiting, decisions, ports);
		const ran = await runGroup(run, decided, ports);
		changed ||= ran.some(hasEffect);
	}
	return proposed.flatMap((one) => (one.kind === "dependent" ? [one.call] : []));
}

function hasEffect({ ready }: ApprovedCall): boolean {
	return ready.tool.effect !== "none";
}

const maxTogether = 8;

/**
 * Returns the next calls to run together: adjacent decided calls without effect, or otherwise only the first waiting
 * call.
 */
async function nextGroup(
	waiting: readonly ProposedCall[],
	decisions: Decisions,
): Promise<readonly ProposedCall[]> {
	const [first] = waiting;
	if (first) await decisions.of(first);
	const alone = waiting.findIndex((one) => !isPure(one) || !decisions.isDecided(one));
	return waiting.slice(0, alone === -1 ? maxTogether : Math.min(maxTogether, Math.max(1, alone)));
}

/**
 * Runs calls at the same time and returns the calls that ran. Throws if the run is stopped before a call starts, or is
 * parked while the calls run.
 */
async function runGroup(
	run: Run,
	decided: readonly ApprovedCall[],
	ports: CallPorts,
): Promise<readonly ApprovedCall[]> {
	const group: ApprovedCall[] = [];
	for (const entry of decided) {
		const startedCall = await beginCall(run, entry, ports);
		if (startedCall) group.push(startedCall);
	}
	if (group.length === 0) return group;
	await run.reach("tool-running");
	await using outputs = new AsyncDisposableStack();
	const results = await Promise.all(
		group.map(async (entry) => {
			const output = outputs.use(new CallOutput(run, entry.call.id, ports.files));
			return { call: entry.call, output, ...(await execute(run, entry, output, ports.secrets)) };
		}),
	);
	await run.reach("tool-exit");
	// A call that stopped with the gateway has no result. After the next start of the gateway, the outcome of the call is
	// unknown.
	if (run.control.cause === "parked") run.control.signal.throwIfAborted();
	const settled = await withinRoom(run, results, ports);
	const ended = await Promise.all(settled.map((entry) => settle(run, entry)));
	await run.commit(async (writing) => {
		for (const entry of ended) await recordResult(run, entry, writing);
		await addTaint(writing.tx, run.session.id, joinTaints(group.map(taintOfCall)));
	});
	return group;
}

function taintOfCall({ ready }: ApprovedCall): Taint {
	return taintOf(ready.plan.classes);
}

interface Execution {
	readonly result: ToolResult;
	readonly durationMs: number;
}

interface RanCall extends Execution {
	readonly call: CallBlock;
	readonly output: CallOutput;
}

async function settle(run: Run, { call, output, result, durationMs }: RanCall): Promise<SettledCall> {
	// Secrets are redacted before the cut, because the redactor does not recognise a part of a secret.
	const text = run.session.redactor.into("tool").redact(result.text);
	const note = adjustedNote(call);
	const forModel = await output.shorten(text, outputLimits.characters - note.length - 1);
	return {
		call,
		result: { ...result, text: withNote(text, note) },
		forModel: withNote(forModel, note),
		durationMs,
	};
}

async function execute(
	run: Run,
	entry: ApprovedCall,
	output: CallOutput,
	secrets: SecretBox,
): Promise<Execution> {
	const { clock } = run;
	const beganAt = clock.monotonic();
	run.session.bus.pass({ type: "tool.running", runId: run.id, callId: entry.call.id });
	const result = await callTool(run, entry, output, secrets);
	return { result, durationMs: Math.round(clock.monotonic() - beganAt) };
}

async function callTool(
	run: Run,
	{ ready, context, changed }: ApprovedCall,
	output: CallOutput,
	secrets: SecretBox,
): Promise<ToolResult> {
	const released = await releaseSecrets(run, ready, secrets);
	if (released.kind === "refused") return { text: released.text, failed: true };
	const progress = progressOf(run, context.callId);
	const onOutput = (chunk: Uint8Array): void => {
		progress.write(chunk);
		output.write(chunk);
	};
	const result = await executeCall(released, { ...context, progress: onOutput });
	progress.end();
	if (changed === undefined) return result;
	return { ...result, text: `[${argumentsNote(run, changed)}]\n${result.text}` };
}

function progressOf({ id: runId, session, clock }: Run, callId: string): ToolProgress {
	return new ToolProgress({
		clock,
		redaction: () => session.redactor.stream(),
		pass: (text) => session.bus.pass({ type: "tool.progress", runId, callId, text }),
	});
}

const maxArgumentCharacters = 4_000;

function argumentsNote({ session }: Run, changed: unknown): string {
	// Redacted before the cut, because the redactor does not recognise a part of a secret.
	const text = JSON.stringify(session.redactor.redactFields(changed));
	const shown = text.length > maxArgumentCharacters ? `${text.slice(0, maxArgumentCharacters)}…` : text;
	return approvalTexts.changedArguments(shown);
}

/**
 * Minimum characters of a password that a tool may receive. The redaction of a shorter password could replace parts of
 * ordinary words and damage the output.
 */
const minPasswordCharacters = 4;

/** Replaces the handles in the tool's secret parameters with the passwords, just before the call runs. */
async function releaseSecrets(
	run: Run,
	ready: ReadyCall,
	secrets: SecretBox,
): Promise<ReadyCall | RefusedCall> {
	const { tool, args } = ready;
	if (!tool.secrets || typeof args !== "object" || args === null) return ready;
	const passwordArguments = Object.entries(args).filter(([name]) => tool.secrets?.includes(name));
	const passwordOf: PasswordOf = (handle) =>
		openPassword({ secrets, journal: run.journal, log: run.log }, run.session.home, handle);
	const opened: [string, unknown][] = [];
	for (const [name, value] of passwordArguments) {
		const clear = await open(run, value, name, passwordOf);
		if ("refused" in clear) return { kind: "refused", text: clear.refused };
		opened.push([name, clear.value]);
	}
	return { ...ready, args: { ...args, ...Object.fromEntries(opened) } };
}

type Opened = { readonly value: unknown } | { readonly refused: string };

/** Returns the password of a handle, or undefined for any other text. */
type PasswordOf = (handle: string) => Promise<string | undefined>;

async function open(run: Run, value: unknown, place: string, passwordOf: PasswordOf): Promise<Opened> {
	if (value === undefined) return { value };
	if (typeof value === "string") return openOne(run, value, place, passwordOf);
	if (typeof value !== "object" || value === null || Array.isArray(value)) return unknown(place);
	const entries: [string, unknown][] = [];
	for (const [name, handle] of Object.entries(value)) {
		const clear =
			typeof handle === "string"
				? await openOne(run, handle, `${place}.${name}`, passwordOf)
				: unknown(place);
		if ("refused" in clear) return clear;
		entries.push([name, clear.value]);
	}
	return { value: Object.fromEntries(entries) };
}

async function openOne(run: Run, handle: string, place: string, passwordOf: PasswordOf): Promise<Opened> {
	const password = await passwordOf(handle);
	if (password === undefined) return unknown(place);
	if (password.length < minPasswordCharacters) {
		const reason = callTexts.shortPassword(minPasswordCharacters);
		return { refused: callTexts.notRun(visible(place), reason) };
	}
	run.session.redactor.add(password);
	return { value: password };
}

function unknown(place: string): Opened {
	return {
		refused: callTexts.unknownSecret(visible(place)),
	};
}

/**
 * Proposes the first waiting call again if earlier calls changed the files of its question. Returns the calls
 * that still wait. Called when no call of the reply is running.
 */
async function repeatChangedQuestion(
	run: Run,
	waiting: readonly ProposedCall[],
	decisions: Decisions,
	ports: ProposalPorts,
): Promise<readonly ProposedCall[]> {
	const [first, ...behind] = waiting;
	if (!first || !isBound(first) || !ranSinceQuestion(run.steps, first.call.id)) return waiting;
	const change = await changeOf(run, first);
	if (!change) return waiting;
	await decisions.withdraw(first);
	const repeated = { notes: [filesChangedNote(change.names)] };
	const proposed = await proposeCalls(run, [first.call], ports, repeated);
	const renewed = proposed.filter((one) => one.kind === "proposed");
	for (const one of renewed) decisions.await(one);
	return [...renewed, ...behind];
}

/**
 * Refuses each waiting call if its files changed after its question and no call has run since then. Returns the calls
 * that still wait. Called before a call with an effect starts.
 */
async function refuseIfChanged(
	run: Run,
	waiting: readonly ProposedCall[],
	decisions: Decisions,
	{ prompts }: ProposalPorts,
): Promise<readonly ProposedCall[]> {
	const sharedFacts: SharedFilesFacts = new Map();
	const accepted: ProposedCall[] = [];
	for (const one of waiting) {
		// If no call has run since the question, a program or session outside the run changed the files.
		const isFirst = isBound(one) && !ranSinceQuestion(run.steps, one.call.id);
		const change = isFirst ? await changeOf(run, one, sharedFacts) : undefined;
		if (!change) {
			accepted.push(one);
			continue;
		}
		await decisions.withdraw(one);
		await refuseProposed(run, one.call, change.refusal, prompts);
	}
	return accepted;
}

function isBound({ prompt, isBound: hasFiles }: ProposedCall): boolean {
	return prompt !== undefined && hasFiles === true;
}

interface Change {
	/** Result of the call if the call is refused because of the change. */
	readonly refusal: string;
	/**
	 * Names of the changed files and of other changed facts, for an approver. Empty after a restart, because only hashes
	 * are stored.
	 */
	readonly names: readonly string[];
}

/**
 * Returns the change of the files or other facts since the question about a call. Returns undefined if nothing
 * changed, and for cases that other code decides: a denied, expired or used approval, a changed policy, and an
 * impossible call.
 */
async function changeOf(
	run: Run,
	planned: PlannedCall,
	sharedFacts?: SharedFilesFacts,
): Promise<Change | undefined> {
	const row = await readApproval(run, planned);
	if (!row || (row.state !== "open" && !isApproved(row))) return undefined;
	const changedArguments = row.answer?.kind === "approved" ? row.answer.arguments : undefined;
	const now = await replan(run, { ...planned, changed: changedArguments ?? planned.changed }, sharedFacts);
	if ("text" in now) return undefined;
	const facts = changedSince(row.binding ?? "", bindingOf(now, run.policy.version));
	if (facts.length === 0 || facts.includes("policy")) return undefined;
	const before = factsOf(planned, facts);
	const after = factsOf(now, facts);
	const words = differences(before, after);
	return {
		refusal: approvalTexts.changedFacts(changedNote, (words.length > 0 ? words : facts).join(", ")),
		names: changedNames(before, after, planned.context.cwd),
	};
}

function factsOf({ ready }: PlannedCall, names: readonly string[]): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(ready.plan.binding).filter(([name]) => names.includes(name)));
}
