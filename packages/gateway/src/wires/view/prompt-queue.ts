import type { Prompt, SessionEvent } from "@parley/core";

interface SessionPrompts {
	readonly open: Prompt[];
	shown: string | undefined;
}

export interface DuePrompt {
	readonly sessionId: string;
	readonly prompt: Prompt;
}

/**
 * Queues of open prompts, one per session, for clients that show only one prompt at a time. Such a client replaces
 * the shown prompt when the next prompt arrives.
 */
export class PromptQueue {
	readonly #sessions = new Map<string, SessionPrompts>();
	/** Sessions whose prompts wait until `resume`. */
	readonly #paused = new Set<string>();
	/** Tokens of open prompts that were repeated. */
	readonly #repeated = new Set<string>();

	/**
	 * Handles an event. Returns whether the client gets the event now; false for a prompt that must wait. Call `due`
	 * after the last event of a commit, because a later event may close the next prompt.
	 */
	receive({ sessionId, event }: { readonly sessionId: string; readonly event: AnyEvent }): boolean {
		if (isPrompt(event)) return this.#add(sessionId, event.prompt);
		if (isSettled(event)) this.#settle(sessionId, event.token);
		else if (event.type === "session.deleted") this.forget(sessionId);
		return true;
	}

	/**
	 * Returns the first prompt of each session, unless it was already shown, and marks it as shown. Omits paused
	 * sessions.
	 */
	due(): DuePrompt[] {
		return [...this.#sessions].flatMap(([sessionId, prompts]) => {
			const [prompt] = prompts.open;
			if (!prompt || prompts.shown === prompt.token || this.#paused.has(sessionId)) return [];
			prompts.shown = prompt.token;
			return [{ sessionId, prompt }];
		});
	}

	/** Delays the next prompts of a session during its replay, because the replay may close them. */
	pause(sessionId: string): void {
		this.#paused.add(sessionId);
	}

	resume(sessionId: string): void {
		this.#paused.delete(sessionId);
	}

	/** Returns the open prompt with this token, in any session. */
	find(token: string): DuePrompt | undefined {
		for (const [sessionId, { open }] of this.#sessions) {
			const prompt = open.find((one) => one.token === token);
			if (prompt) return { sessionId, prompt };
		}
		return undefined;
	}

	/**
	 * Whether the prompt with this token may be repeated: true at the first call for the token. After `forget` or the
	 * end of the prompt, the next call returns true again.
	 */
	mayRepeat(token: string): boolean {
		if (this.#repeated.has(token)) return false;
		this.#repeated.add(token);
		return true;
	}

	/** Removes a session that the client has left or joins again. */
	forget(sessionId: string): void {
		for (const { token } of this.#sessions.get(sessionId)?.open ?? []) this.#repeated.delete(token);
		this.#sessions.delete(sessionId);
		this.#paused.delete(sessionId);
	}

	#add(sessionId: string, prompt: Prompt): boolean {
		const prompts = this.#sessions.get(sessionId) ?? { open: [], shown: undefined };
		this.#sessions.set(sessionId, prompts);
		if (!prompts.open.some(({ token }) => token === prompt.token)) prompts.open.push(prompt);
		if (prompts.open[0]?.token !== prompt.token) return false;
		prompts.shown = prompt.token;
		return true;
	}

	#settle(sessionId: string, token: string): void {
		this.#repeated.delete(token);
		const prompts = this.#sessions.get(sessionId);
		const at = prompts?.open.findIndex((prompt) => prompt.token === token) ?? -1;
		if (!prompts || at < 0) return;
		prompts.open.splice(at, 1);
		if (prompts.open.length === 0) this.#sessions.delete(sessionId);
	}
}

interface AnyEvent {
	readonly type: string;
}
type EventOf<Type extends SessionEvent["event"]["type"]> = Extract<SessionEvent["event"], { type: Type }>;

function isPrompt(event: AnyEvent): event is EventOf<"prompt.requested" | "prompt.shown"> {
	return event.type === "prompt.requested" || event.type === "prompt.shown";
}

function isSettled(event: AnyEvent): event is EventOf<"prompt.answered" | "prompt.closed"> {
	return event.type === "prompt.answered" || event.type === "prompt.closed";
}
