import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { places } from "./killable-connector.ts";

const kills = 4;

/** Directory of the databases. They may be in memory, because the tests never stop the machine. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : await realpath(tmpdir());

interface Playable {
	readonly deaths: readonly string[];
	readonly happened: readonly string[];
	play(): Promise<void>;
}

interface Seeds {
	readonly first: number;
	readonly count: number;
}

interface Played {
	readonly faults: readonly string[];
	/** Failpoints at which no process has died. */
	readonly unvisited: readonly string[];
	/** Number of runs by item of `happened`. */
	readonly census: ReadonlyMap<string, number>;
}

export async function playChaosRuns<ChaosRun extends Playable>(
	{ first, count }: Seeds,
	open: (seed: number, directory: string, kills: number) => ChaosRun,
	judge: (run: ChaosRun) => readonly string[],
): Promise<Played> {
	const directory = await mkdtemp(join(memory, "parley-chaos-"));
	const faults: string[] = [];
	const deaths = new Set<string>();
	const census = new Map<string, number>();
	for (let seed = first; seed < first + count; seed++) {
		const run = open(seed, directory, kills);
		await run.play();
		for (const death of run.deaths) deaths.add(death);
		for (const kind of new Set(run.happened)) census.set(kind, 1 + (census.get(kind) ?? 0));
		faults.push(...judge(run).map((fault) => `seed ${seed}: ${fault}`));
	}
	await rm(directory, { recursive: true });
	return { faults, unvisited: places.filter((place) => !deaths.has(place)), census };
}
