import type { Engine } from "@parley/base";
import { sql } from "kysely";
import type { Tx } from "../store/journal.ts";
import { memoryIndexOf } from "../store/memory-index.ts";
import { type MemorySelection, selected, toMemory } from "../store/memory-rows.ts";
import type { Memory } from "../vocabulary/memory.ts";

/** Notes of a selection that contain at least one of the words, the most relevant first. */
export async function searchMemories(
	db: Tx,
	engine: Engine,
	{
		words,
		limit,
		...selection
	}: MemorySelection & { readonly words: readonly string[]; readonly limit: number },
): Promise<Memory[]> {
	if (words.length === 0) return [];
	const index = memoryIndexOf(engine);
	const among = selected(selection);
	const matches = words.map((word) => index.contains(word, selection.reader !== undefined));
	const found = await db
		.selectFrom("memories")
		.select("n")
		// One digit for each word.
		.select(
			sql<string>`${sql.join(
				matches.map((match) => sql`case when ${match} then '1' else '0' end`),
				sql` || `,
			)}`.as("hits"),
		)
		.where(among)
		.where(sql<boolean>`(${sql.join(matches, sql` or `)})`)
		.execute();
	if (found.length === 0) return [];
	const all = await db
		.selectFrom("memories")
		.select((eb) => eb.fn.countAll<number>().as("count"))
		.where(among)
		.executeTakeFirstOrThrow();
	const ranked = ranking(found, Number(all.count)).slice(0, limit);
	const rows = await db
		.selectFrom("memories")
		.selectAll()
		.where(
			"n",
			"in",
			ranked.map(({ n }) => n),
		)
		.execute();
	const byNumber = new Map(rows.map((row) => [Number(row.n), toMemory(row)]));
	return ranked.flatMap(({ n }) => byNumber.get(Number(n)) ?? []);
}

interface Found {
	readonly n: number;
	readonly hits: string;
}

/**
 * Orders notes by the sum of the weights of their words; the newer note first if equal. A word weighs more the fewer of
 * the notes contain it: the inverse document frequency of BM25 (https://en.wikipedia.org/wiki/Okapi_BM25).
 */
function ranking(found: readonly Found[], all: number): Found[] {
	const words = found[0]?.hits.length ?? 0;
	const weights = Array.from({ length: words }, (_, word) => {
		const containing = found.filter(({ hits }) => hits[word] === "1").length;
		return Math.log(1 + (all - containing + 0.5) / (containing + 0.5));
	});
	const scoreOf = ({ hits }: Found): number =>
		weights.reduce((sum, weight, word) => (hits[word] === "1" ? sum + weight : sum), 0);
	return found
		.map((row) => ({ row, score: scoreOf(row) }))
		.sort((one, other) => other.score - one.score || Number(other.row.n) - Number(one.row.n))
		.map(({ row }) => row);
}
