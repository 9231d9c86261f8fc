import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { places } from "./killable-connector.ts";

const kills = 4;

/** In memory, because only the process dies, not the machine. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : await realpath(tmpdir());

/** Answers grow rarely here. `growth.ci.test.ts` kills a process at each draft of an answer. */
const required = places.filter((place) => !place.startsWith("outbox.draft"));

interface Playable {
	readonly deaths: readonly string[];
	play(): Promise<void>;
}

interface Seeds {
	readonly first: number;
	readonly count: number;
	/** More seeds follow, up to this number in all, until a process has died at each required place. `count` if omitted. */
	readonly most?: number;
}

/** Plays a chaos run for each seed. Resolves with the faults, and with the places at which no process died. */
export async function playChaosRuns<ChaosRun extends Playable>(
	{ first, count, most = count }: Seeds,
	open: (seed: number, directory: string, kills: number) => ChaosRun,
	judge: (run: ChaosRun) => readonly string[],
): Promise<{ readonly faults: readonly string[]; readonly unvisited: readonly string[] }> {
	const directory = await mkdtemp(join(memory, "parley-chaos-"));
	const faults: string[] = [];
	const deaths = new Set<string>();
	const unvisited = () => required.filter((place) => !deaths.has(place));
	const isOver = (played: number) => played >= count && (played >= most || unvisited().length === 0);
	for (let seed = first; !isOver(seed - first); seed++) {
		const run = open(seed, directory, kills);
		await run.play();
		for (const death of run.deaths) deaths.add(death);
		faults.push(...judge(run).map((fault) => `seed ${seed}: ${fault}`));
	}
	await rm(directory, { recursive: true });
	return { faults, unvisited: unvisited() };
}
