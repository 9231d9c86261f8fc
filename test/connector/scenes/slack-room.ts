import type { Channel } from "../../simulators/slack/people/channel.ts";
import type { Shown } from "../../simulators/slack/people/shown.ts";
import type { Room } from "./site.ts";

/** Pattern of the word joiner, an invisible character between two Markdown marks. */
const unseen = /\u2060/g;
/** Pattern of a link to a profile, which replaces a mention without notifying the user. */
const profile = /\[(@[^\]]*)\]\(https:\/\/[^)\s]*\/team\/\w+\)/g;

/** Removes word joiners and the targets of profile links. */
export function asRead(text: string): string {
	return text.replace(unseen, "").replace(profile, "$1");
}

interface Viewer {
	readonly id: string;
}

/**
 * A channel with its top-level messages and the threads of users' messages. Threads of Parley's own top-level
 * posts, for example of tasks, are separate rooms.
 */
export class SlackRoom implements Room {
	readonly channel: Channel;
	/** Thread of the current conversation. Undefined until the first message to Parley. */
	conversation: Channel | undefined;
	readonly #self: string | undefined;

	/**
	 * Shows `channel` as a room. `self` is the name of Parley's bot. If undefined, the room has only top-level
	 * messages.
	 */
	constructor(channel: Channel, self?: string) {
		this.channel = channel;
		this.#self = self;
	}

	get hasThreads(): boolean {
		return this.#self !== undefined && this.channel.threadTs === undefined;
	}

	/** Returns the channel or thread for the next message. */
	get here(): Channel {
		return this.conversation ?? this.channel;
	}

	shows(viewer?: Viewer): Shown[] {
		if (this.#self === undefined || this.channel.threadTs !== undefined) return this.channel.shows(viewer);
		const inside = this.channel
			.threads()
			.filter(({ root }) => root?.author !== this.#self)
			.flatMap((thread) => thread.shows(viewer));
		const all = new Map([...this.channel.shows(viewer), ...inside].map((shown) => [shown.id, shown]));
		return [...all.values()].sort((one, other) => Number(one.ts) - Number(other.ts));
	}

	transcript(viewer?: Viewer): string {
		return asRead(this.channel.transcript(viewer));
	}

	typing(): string[] {
		return this.channel.typing();
	}
}
