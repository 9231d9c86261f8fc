import type { Clock } from "@parley/base";
import { cutText, Lookup } from "@parley/connector";
import { limits } from "../vocabulary/limits.ts";
import type { Caller } from "./caller.ts";

/** Milliseconds for which the same suggestions are not sent to a channel again. */
const retentionMs = 30 * 60_000;
const maxEntries = 1000;

/**
 * Suggested prompts above the input field of direct messages:
 * https://docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts
 */
export class Suggestions {
	readonly #caller: Caller;
	/** Suggestions that were shown last, as JSON, by channel. */
	readonly #shown: Lookup<string>;

	constructor(caller: Caller, clock: Clock) {
		this.#caller = caller;
		this.#shown = new Lookup({ clock, max: maxEntries, retentionMs });
	}

	/** Shows suggestions, unless they are already shown. Rejects with a `DeliveryError` if Slack does not accept them. */
	async show(channel: string, suggested: readonly string[]): Promise<void> {
		const prompts = suggested
			.slice(0, limits.suggestions)
			.map((message) => ({ title: cutText(message, limits.suggestionTitle), message }));
		const content = JSON.stringify(prompts);
		if (this.#shown.get(channel) === content) return;
		const counted = { method: "assistant.threads.setSuggestedPrompts", lane: "typing" } as const;
		await this.#caller.ask(counted, { channel_id: channel, prompts });
		this.#shown.note(channel, content);
	}
}
