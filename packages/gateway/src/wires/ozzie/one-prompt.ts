import type { Prompt } from "@parley/core";
import type { OzzieEvent } from "./codec.ts";

/**
 * For clients that show one question at a time and forget it when the next one comes: of each session only the first
 * open question is let through, the others when their turn comes, in passing.
 */
export class OnePrompt {
	/** Of each session its open questions in their order: the first one is what the client sees. */
	readonly #open = new Map<string, Prompt[]>();
	/** Tokens of open questions that were asked again. */
	readonly #again = new Set<string>();

	/** What the client is told of that event. */
	take(happened: OzzieEvent): OzzieEvent[] {
		const { event, sessionId } = happened;
		switch (event.type) {
			case "prompt.requested":
			case "prompt.shown":
				return this.#asked(sessionId, event.prompt) ? [happened] : [];
			case "prompt.answered":
			case "prompt.closed":
				return [happened, ...this.#settled(happened, event.token)];
			case "session.deleted":
				this.forget(sessionId);
				return [happened];
			default:
				return [happened];
		}
	}

	/** The open question of this token, if its session was joined. */
	find(token: string): { readonly sessionId: string; readonly prompt: Prompt } | undefined {
		for (const [sessionId, open] of this.#open) {
			const prompt = open.find((one) => one.token === token);
			if (prompt) return { sessionId, prompt };
		}
		return undefined;
	}

	/** Whether an open question may be asked again: true once. */
	mayRepeat(token: string): boolean {
		if (this.#again.has(token)) return false;
		this.#again.add(token);
		return true;
	}

	/** The client has left the session or is told all of it again, or it is gone. */
	forget(sessionId: string): void {
		for (const { token } of this.#open.get(sessionId) ?? []) this.#again.delete(token);
		this.#open.delete(sessionId);
	}

	#asked(sessionId: string, prompt: Prompt): boolean {
		const open = this.#open.get(sessionId) ?? [];
		if (!open.some(({ token }) => token === prompt.token)) open.push(prompt);
		this.#open.set(sessionId, open);
		return open[0]?.token === prompt.token;
	}

	#settled({ sessionId, seq }: OzzieEvent, token: string): OzzieEvent[] {
		this.#again.delete(token);
		const open = this.#open.get(sessionId) ?? [];
		const rest = open.filter((prompt) => prompt.token !== token);
		if (rest.length > 0) this.#open.set(sessionId, rest);
		else this.#open.delete(sessionId);
		const [prompt] = rest;
		if (!prompt || prompt === open[0]) return [];
		return [{ transient: true, sessionId, seq, event: { type: "prompt.shown", prompt } }];
	}
}
