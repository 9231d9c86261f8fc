import { ParleyError } from "@parley/base";
import type { Prompt } from "@parley/core";
import { sharedErrorTexts } from "../../texts/wires/shared.ts";

/** Ids of open prompts on one stream, for wires that identify a prompt by such an id instead of by its token. */
export class PromptIds {
	readonly #nameOf: (prompt: Prompt, count: number) => string;
	readonly #open = new Map<string, Prompt>();
	#count = 0;

	/** Sets the function that returns the id of a prompt. `count` is the number of the prompt on the stream, from 1. */
	constructor(nameOf: (prompt: Prompt, count: number) => string) {
		this.#nameOf = nameOf;
	}

	/** Opens a prompt and returns its id. An open prompt with the same id is replaced. */
	open(prompt: Prompt): string {
		this.#count += 1;
		const id = this.#nameOf(prompt, this.#count);
		this.#open.set(id, prompt);
		return id;
	}

	/**
	 * Removes and returns an open prompt, so that only one answer has an effect. Throws `not_found` if no open prompt
	 * has the id.
	 */
	remove(id: string): Prompt {
		const prompt = this.#open.get(id);
		if (!prompt) throw new ParleyError(sharedErrorTexts.noPendingApproval({ id }), { code: "not_found" });
		this.#open.delete(id);
		return prompt;
	}

	/** Opens a removed prompt again with its id, because its answer was not stored. */
	restore(id: string, prompt: Prompt): void {
		this.#open.set(id, prompt);
	}

	removeAll(): Prompt[] {
		const open = [...this.#open.values()];
		this.#open.clear();
		return open;
	}

	/** Removes the prompt with this token, because the prompt was answered or closed elsewhere. */
	settle(token: string): void {
		for (const [id, prompt] of this.#open) if (prompt.token === token) this.#open.delete(id);
	}
}
