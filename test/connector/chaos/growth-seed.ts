import type { ManualClock } from "@parley/base/testing";
import type { Random } from "../../random.ts";
import { type Death, type GrowingSession, Growth, type GrowthPlatform, part } from "./growth.ts";
import { places } from "./killable-connector.ts";

interface SeedParts {
	readonly open: (clock: ManualClock) => GrowthPlatform;
	readonly random: Random;
	readonly directory: string;
}

/** Plays one answer with random steps, faults of the network and deaths. Resolves with the faults that people can see. */
export async function playSeed({ open, random, directory }: SeedParts): Promise<readonly string[]> {
	const growth = new Growth(open, directory);
	await growth.begin();
	const answer = new RandomAnswer(await growth.ask(), random);
	growth.disturb(deathsOf(random), { isBroken: random.chance(0.7) });
	for (let step = random.between(2, 8); step > 0; step--) {
		answer.proceed();
		await growth.pass(random.pick([0, 50, 400, 1500, 4000]));
	}
	answer.end();
	await growth.pass(random.pick([0, 400, 4000]));
	await growth.finish();
	const posts = growth.posts();
	const faults = answer.visibleOnce.flatMap((words) => {
		const count = posts.filter(({ text }) => text.includes(words)).length;
		return count === 1 ? [] : [`“${words}” is visible ${count} times`];
	});
	faults.push(...(await growth.judge()));
	await growth.close();
	return faults;
}

function deathsOf(random: Random): Death[] {
	return Array.from({ length: random.between(1, 3) }, () => {
		const place = random.pick([...places, "platform.late", "platform.asked"]);
		const hit = random.between(1, place.startsWith("store") ? 30 : 8);
		return { place, hit, losesDatabase: random.chance(0.25) };
	});
}

/** One run of an agent with random steps. */
class RandomAnswer {
	/** Words of which people must see exactly one copy. */
	readonly visibleOnce: string[] = [];
	readonly #session: GrowingSession;
	readonly #random: Random;
	#calls = 0;
	/** The open call, and the token of its question. */
	#open: { readonly id: string; readonly token?: string } | undefined;

	constructor(session: GrowingSession, random: Random) {
		this.#session = session;
		this.#random = random;
	}

	/** One random step of the run. */
	proceed(): void {
		if (this.#open !== undefined) {
			this.#endCall();
			return;
		}
		const kind = this.#random.below(10);
		if (kind < 5) this.#session.stream(part);
		else if (kind < 6) this.#session.stream(part.repeat(this.#random.between(50, 150)));
		else if (kind < 7) this.#session.stream(`\n\n\`\`\`ts\n// ${part}\n${"const one = 1;\n".repeat(90)}`);
		else this.#call();
	}

	end(): void {
		if (this.#open !== undefined) this.#endCall();
		const kind = this.#random.below(10);
		if (kind < 5) this.#end({ content: this.#once("That is the end.") });
		else if (kind < 7)
			this.#end({ content: `${this.#once("That is the long end.")} ${"More words. ".repeat(300)}` });
		else if (kind < 8) this.#end({ content: "", error: `${this.#once("the host was busy")}.` });
		else this.#end({ content: this.#once("That was half of it."), error: "cancelled" });
	}

	#end(answer: { readonly content: string; readonly error?: string }): void {
		this.#session.end(answer);
	}

	#once(words: string): string {
		this.visibleOnce.push(words);
		return words;
	}

	/** The reply ends with a call, which perhaps asks a question. */
	#call(): void {
		this.#calls += 1;
		const id = `call_${this.#calls}`;
		this.#session.endReply(this.#once(`Text before call number ${this.#calls}.`));
		const call = { name: "run_command", call_id: id } as const;
		this.#session.record("tool.call", { ...call, status: "started", arguments: { command: "make" } });
		this.#open = { id };
		if (!this.#random.chance(0.3)) return;
		const label = `Allow ${this.#once(`job number ${this.#calls}`)}?`;
		const context = { ...{ call_id: id, tool: "run_command", arguments: {}, preview: "" }, notes: [] };
		const token = this.#session.ask({ label, context: { ...context, risk: "normal", allow_session: true } });
		this.#open = { id, token };
	}

	#endCall(): void {
		const { id, token } = this.#open ?? { id: "" };
		this.#open = undefined;
		if (token !== undefined) {
			this.#session.asking.delete(token);
			this.#session.record("prompt.response", { token, value: "once", cancelled: false, by: "operator" });
		}
		this.#session.record("tool.call", { name: "run_command", call_id: id, status: "completed", result: "" });
	}
}
