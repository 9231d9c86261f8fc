import type { Lane, PlannedRow } from "@parley/connector";
import { Random } from "../../random.ts";

/** Returns random outbox rows for `count` events. The same seed returns the same rows. */
export function eventsOf(seed: number, session: string, count: number): readonly (readonly PlannedRow[])[] {
	const random = new Random(seed);
	const cards: string[] = [];
	return Array.from({ length: count }, (_, n) => rowsOf(random, { session, seq: n + 1, cards }));
}

interface Place {
	readonly session: string;
	readonly seq: number;
	readonly cards: string[];
}

function rowsOf(random: Random, { session, seq, cards }: Place): PlannedRow[] {
	const row = (lane: Lane, index: number, card?: string): PlannedRow => ({
		...{ seq, lane, at: startedAt + seq, payload: { text: `${session}#${seq}.${index}` } },
		...(card === undefined ? {} : { card }),
	});
	const kind = random.below(10);
	if (kind < 3) return Array.from({ length: random.between(1, 3) }, (_, index) => row("final", index));
	if (kind === 3) return [row("acknowledgement", 0)];
	if (kind === 4) return [row("error", 0)];
	if (kind === 5) return [];
	const isExisting = cards.length > 0 && random.chance(0.7);
	const card = isExisting ? random.pick(cards) : `${session}/card-${seq}`;
	if (!isExisting) cards.push(card);
	if (isExisting && kind < 9) return [row("progress", 0, card)];
	return [row(random.pick(["approval", "milestone"]), 0, card)];
}

export const startedAt = Date.UTC(2026, 0, 1);
