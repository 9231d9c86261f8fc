import type { Random } from "../../random.ts";
import { type GrowingSession, part } from "./growth.ts";

export interface RandomAnswerParts {
	readonly session: GrowingSession;
	readonly random: Random;
	/** A word that is unique among all answers. */
	readonly name: string;
	ask(call: string): string;
}

/** Probability per step that the operator answers an open question. */
const byOperator = 0.5;

/** Plays a run with random steps: growing text, code, long text, calls and questions. */
export class RandomAnswer {
	/** Unique words of the run's texts so far, in order. Each must be visible exactly once. */
	readonly words: string[] = [];
	readonly #parts: RandomAnswerParts;
	#calls = 0;
	#open: { readonly id: string; readonly token?: string } | undefined;

	constructor(parts: RandomAnswerParts) {
		this.#parts = parts;
	}

	proceed(): void {
		const { session, random } = this.#parts;
		if (this.#open !== undefined) {
			const isWaiting = session.asking.has(this.#open.token ?? "");
			if (!isWaiting || random.chance(byOperator)) this.endCall();
			return;
		}
		const kind = random.below(20);
		if (kind < 13) session.stream(part);
		else if (kind < 14) session.stream(part.repeat(random.between(50, 150)));
		else if (kind < 15) session.stream(`\n\n\`\`\`ts\n// ${part}\n${"const one = 1;\n".repeat(90)}`);
		else this.#call();
	}

	/** Ends the run. Returns the unique words of its last text. */
	end(): string {
		const { session, random, name } = this.#parts;
		this.endCall();
		const words = this.#once(`${name}.`);
		const kind = random.below(10);
		if (kind < 6) session.end({ content: `That is ${words}` });
		else if (kind < 8) session.end({ content: `That is ${words} ${"More words. ".repeat(300)}` });
		else if (kind < 9) session.end({ content: "", error: `the host was busy with ${words}` });
		else session.end({ content: `That was half of ${words}`, error: "cancelled" });
		return words;
	}

	endCall(): void {
		if (this.#open === undefined) return;
		const { id, token = "" } = this.#open;
		const { session } = this.#parts;
		this.#open = undefined;
		if (session.asking.delete(token)) {
			session.record("prompt.response", { token, value: "once", cancelled: false, by: "operator" });
		}
		session.record("tool.call", { name: "run_command", call_id: id, status: "completed", result: "" });
	}

	#once(words: string): string {
		this.words.push(words);
		return words;
	}

	#call(): void {
		const { session, random, name, ask } = this.#parts;
		this.#calls += 1;
		const id = `${name}-call-${this.#calls}`;
		session.endReply(`Text before ${this.#once(`${id}.`)}`);
		session.record("tool.call", {
			...{ name: "run_command", call_id: id, status: "started" },
			arguments: { command: "make" },
		});
		this.#open = random.chance(0.3) ? { id, token: ask(id) } : { id };
	}
}
