import type { PlayedScene } from "./played-scene.ts";
import { has, textOfPost } from "./shown-posts.ts";
import type { Player, Seen, SentInteraction } from "./site.ts";

export class Notebook {
	readonly played: PlayedScene;
	interaction: SentInteraction | undefined;
	/** Value that replaces `{1}` in later steps. */
	noted = "";
	readonly #named = new Map<string, { readonly id: string }>();

	constructor(played: PlayedScene) {
		this.played = played;
	}

	name(name: string, { id }: { readonly id: string }): void {
		this.#named.set(name, { id });
	}

	/**
	 * Returns the message with the name `words`. Otherwise waits until `person` sees a message with these words in
	 * `room`, and returns the newest such message.
	 */
	async message(words: string, person: Player, room = "general"): Promise<{ readonly id: string }> {
		const named = this.#named.get(words);
		if (named) return named;
		const { site, sceneGateway } = this.played;
		const seen = () => attempt(() => site.room(room, person).shows(person)) ?? [];
		let message: Seen | undefined;
		const isVisible = (): boolean => {
			message = seen().findLast((shown) => has(textOfPost(site, shown), site.platformForm(words)));
			return message !== undefined;
		};
		await sceneGateway.until(isVisible, `there is a message with ${words}`);
		if (!message) throw new Error(`there is no message with ${words}`);
		return message;
	}

	/** Replaces `@NAME` with a mention, and `{1}` with the stored value. */
	written(text: string): string {
		const people = Object.entries(this.played.site.people);
		return people.reduce(
			(written, [name, { id }]) => written.replaceAll(`@${name}`, `<@${id}>`),
			this.filled(text.replaceAll("@Parley", this.played.site.mention)),
		);
	}

	filled(text: string): string {
		return text.replaceAll("{1}", this.noted);
	}
}

export function attempt<Value>(work: () => Value): Value | undefined {
	try {
		return work();
	} catch {
		return undefined;
	}
}
