import { findPrompt, isApproved } from "../../conversation/prompt-rows.ts";
import { changedSince } from "../../tools/calls/tool-call.ts";
import { changedNames, differences } from "../../tools/commands/surroundings.ts";
import { ranSinceQuestion } from "../../vocabulary/step.ts";
import type { SharedLooks } from "../../vocabulary/tool.ts";
import type { Run } from "../run/run.ts";
import { approvalOf, changedNote } from "./ask-person.ts";
import type { Decisions } from "./begin-call.ts";
import type { PlannedCall, ProposedCall } from "./call-states.ts";
import { bindingOf, planAgain, versionFor } from "./judge-call.ts";
import { filesChangedNote, proposeCalls, refuseProposed } from "./propose-calls.ts";

/**
 * Asks again for the first of these calls if files that its approval is bound to changed and calls before it ran since
 * the question. Its turn has come: no call of the reply runs. Returns the calls as they wait after that.
 */
export async function askAgainIfChanged(
	run: Run,
	waiting: readonly ProposedCall[],
	decisions: Decisions,
): Promise<readonly ProposedCall[]> {
	const [first, ...behind] = waiting;
	if (!first || !isBound(first) || !ranSinceQuestion(run.steps, first.call.id)) return waiting;
	const change = await changeOf(run, first);
	if (!change) return waiting;
	await decisions.withdraw(first);
	const again = { notes: [filesChangedNote(change.names)] };
	const proposed = await proposeCalls(run, [first.call], { again });
	const renewed = proposed.filter((one) => one.kind === "proposed");
	for (const one of renewed) decisions.await(one);
	return [...renewed, ...behind];
}

/**
 * Refuses those of these calls whose files changed before a call of the reply ran: another process or session changed
 * them. Called before a call with an effect starts. Returns the other calls.
 */
export async function refuseIfChanged(
	run: Run,
	waiting: readonly ProposedCall[],
	decisions: Decisions,
): Promise<readonly ProposedCall[]> {
	const looks: SharedLooks = new Map();
	const kept: ProposedCall[] = [];
	for (const one of waiting) {
		const isFirst = isBound(one) && !ranSinceQuestion(run.steps, one.call.id);
		const change = isFirst ? await changeOf(run, one, looks) : undefined;
		if (!change) {
			kept.push(one);
			continue;
		}
		await decisions.withdraw(one);
		await refuseProposed(run, one.call, change.refusal);
	}
	return kept;
}

function isBound({ prompt, isBound: hasFiles }: ProposedCall): boolean {
	return prompt !== undefined && hasFiles === true;
}

/** The difference of a call from what its approval is bound to. */
interface Change {
	/** The result of the call if it is refused for that. */
	readonly refusal: string;
	/** Changed files and other facts, for an approver. Empty after a restart, which leaves hashes alone. */
	readonly names: readonly string[];
}

/**
 * Compares a call with its approval, which is open or was given, at this moment. Undefined if nothing changed, and in
 * cases that are decided elsewhere: a denial, another policy, a call that is no longer possible.
 */
async function changeOf(run: Run, planned: PlannedCall, looks?: SharedLooks): Promise<Change | undefined> {
	const row = await run.deps.journal.store.read((db) => findPrompt(db, approvalOf(run, planned)));
	if (!row || (row.state !== "open" && !isApproved(row))) return undefined;
	const given = row.answer?.kind === "approved" ? row.answer.arguments : undefined;
	const now = await planAgain(run, { ...planned, changed: given ?? planned.changed }, looks);
	if ("text" in now) return undefined;
	const facts = changedSince(row.binding ?? "", bindingOf(now, versionFor(run)));
	if (facts.length === 0 || facts.includes("policy")) return undefined;
	const before = factsOf(planned, facts);
	const after = factsOf(now, facts);
	const words = differences(before, after);
	return {
		refusal: `${changedNote}: ${(words.length > 0 ? words : facts).join(", ")}; nothing was run`,
		names: changedNames(before, after, planned.context.cwd),
	};
}

function factsOf({ ready }: PlannedCall, names: readonly string[]): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(ready.plan.binding).filter(([name]) => names.includes(name)));
}
