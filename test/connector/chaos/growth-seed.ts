import type { ManualClock } from "@parley/base/testing";
import type { Random } from "../../random.ts";
import { type Death, Growth, type GrowthPlatform } from "./growth.ts";
import { isFrequent, places } from "./killable-connector.ts";
import { RandomAnswer } from "./random-answer.ts";

interface SeedParts {
	readonly open: (clock: ManualClock) => GrowthPlatform;
	readonly random: Random;
	readonly directory: string;
}

/** Plays one seed. Returns the faults found at the end. */
export async function playSeed({ open, random, directory }: SeedParts): Promise<readonly string[]> {
	const growth = new Growth(open, directory);
	await growth.begin();
	const session = await growth.ask();
	const labels: string[] = [];
	const ask = (call: string): string => {
		const label = `job-${labels.length}.`;
		labels.push(label);
		const context = { ...{ call_id: call, tool: "run_command", arguments: {}, preview: "" }, notes: [] };
		return session.ask({
			label: `Allow ${label}`,
			context: { ...context, risk: "normal", allow_session: true },
		});
	};
	const answer = new RandomAnswer({ session, random, name: "answer-0", ask });
	growth.disturb(deathsOf(random), { isBroken: random.chance(0.7) });
	for (let step = random.between(2, 8); step > 0; step--) {
		answer.proceed();
		await growth.pass(random.pick([0, 50, 400, 1500, 4000]));
	}
	answer.end();
	await growth.pass(random.pick([0, 400, 4000]));
	await growth.finish();
	const posts = growth.posts();
	const faults = [...answer.words, ...labels].flatMap((words) => {
		const count = posts.filter(({ text }) => text.includes(words)).length;
		return count === 1 ? [] : [`“${words}” is visible ${count} times`];
	});
	faults.push(...(await growth.judge()));
	await growth.close();
	return faults;
}

function deathsOf(random: Random): Death[] {
	return Array.from({ length: random.between(1, 3) }, () => {
		const place = random.pick(places);
		const hit = random.between(1, isFrequent(place) ? 30 : 8);
		return { place, hit, losesDatabase: random.chance(0.25) };
	});
}
