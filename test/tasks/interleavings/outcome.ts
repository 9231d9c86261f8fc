import type { Recorded } from "@parley/core";
import { operator } from "@parley/core";
import { checkEventOrder } from "@parley/core/testing";
import { dependentOf, idOf, workerOf } from "./player.ts";
import type { Playing, SequenceGroup } from "./sequence-group.ts";

/**
 * Returns the violated guarantees after the end of all sequences. With `exact`, also checks the number of effects.
 * Set `exact` only if no process died during a step.
 */
export async function faultsOf(group: SequenceGroup, exact: boolean): Promise<string[]> {
	const bySession = Map.groupBy(group.seen.recorded, ({ sessionId }) => sessionId);
	const orders = [...bySession].flatMap(([id, events]) => faultOfOrder(id, events));
	const twice = [...group.effects].filter(([, times]) => times > 1).map(([id, n]) => `${id} ran ${n} times`);
	const own: string[] = [];
	for (const one of group.playing) {
		own.push(...(await faultsOfOne(group, one, bySession)));
		if (exact) own.push(...faultsOfEffects(group, one));
	}
	return [...group.seen.contradictions, ...orders, ...twice, ...own];
}

function faultOfOrder(id: string, events: readonly Recorded[]): string[] {
	try {
		checkEventOrder(
			events.toSorted((one, other) => one.seq - other.seq),
			true,
		);
		return [];
	} catch (error) {
		return [`session ${id}: ${error instanceof Error ? error.message : String(error)}`];
	}
}

type Sessions = ReadonlyMap<string, readonly Recorded[]>;

async function faultsOfOne(
	group: SequenceGroup,
	{ player, at, sequence }: Playing,
	sessions: Sessions,
): Promise<string[]> {
	const { title, home, needed } = player.cast;
	const problem = (message: string): string => `${sequence.join(", ")}: ${message}`;
	const faults: string[] = [];
	const own = usageIn(sessions, group.seen.of(title).own);
	const worker = usageIn(sessions, group.seen.find(workerOf(title))?.own ?? "");
	const { tasks } = group.killable.t.runtime;
	const facts = await tasks.check(operator, group.seen.of(title).taskId);
	if (facts.usage.inputTokens !== own + worker) {
		faults.push(problem(`its usage is ${facts.usage.inputTokens}, its calls took ${own} and ${worker}`));
	}
	const dependent = needed
		? await tasks.check(operator, group.seen.of(dependentOf(title)).taskId)
		: undefined;
	const { total } = await group.killable.t.runtime.usage(operator, { sessionId: home, by: "day" });
	const all = own + worker + (dependent?.usage.inputTokens ?? 0);
	const used = total.usage.inputTokens;
	if (used !== all) faults.push(problem(`its session has used ${used} instead of ${all}`));
	const reason = at.task === "failed" ? `has failed: ${facts.error}` : `was cancelled: ${facts.error}`;
	if (dependent && at.task !== "completed" && !dependent.error.includes(reason)) {
		faults.push(problem(`who needs it failed with "${dependent.error}"`));
	}
	return faults;
}

function faultsOfEffects({ effects }: SequenceGroup, { player, at, sequence }: Playing): string[] {
	const { title } = player.cast;
	return [[title, at.effects] as const, [workerOf(title), at.workerEffects] as const].flatMap(
		([name, expected]) => {
			const own = [...effects.keys()].filter((id) => id.startsWith(`${idOf(name)}_`)).length;
			return own === expected
				? []
				: [`${sequence.join(", ")}: ${name} has had ${own} effects instead of ${expected}`];
		},
	);
}

function usageIn(sessions: Sessions, id: string): number {
	const calls = (sessions.get(id) ?? []).map(({ event }) => event);
	return calls.reduce((sum, event) => sum + (event.type === "model.called" ? event.usage.inputTokens : 0), 0);
}
