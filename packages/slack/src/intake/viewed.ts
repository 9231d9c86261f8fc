import { type Clock, createCache } from "@parley/base";
import * as z from "zod";
import { id } from "./wire.ts";

/**
 * Milliseconds for which a view is current. A person who has not viewed another channel in this time may have
 * closed Slack.
 */
const retentionMs = 30 * 60_000;
const maxEntries = 5000;

/** Context of an event: https://docs.slack.dev/reference/events/app_context_changed */
const Context = z.object({
	entities: z.array(z.object({ type: z.string(), value: z.unknown() })).default([]),
});
const channelType = "slack#/types/channel_id";

/** Channels that people are viewing while they use the app, as Slack reports them. */
export class Viewed {
	readonly #clock: Clock;
	readonly #known;

	constructor(clock: Clock) {
		this.#clock = clock;
		this.#known = createCache<string, { readonly channel: string; readonly until: number }>({
			max: maxEntries,
			clock,
		});
	}

	/** Records the context of an event. A context without a channel ends the view. */
	note(user: string, context: unknown): void {
		const { entities } = Context.safeParse(context).data ?? { entities: [] };
		const entity = entities.find(({ type }) => type === channelType);
		const channel = id.safeParse(entity?.value).data;
		if (channel === undefined) this.#known.delete(user);
		else this.#known.set(user, { channel, until: this.#clock.monotonic() + retentionMs });
	}

	/** Returns the viewed channel, or undefined if the person views none. */
	channelOf(user: string): string | undefined {
		const known = this.#known.get(user);
		return known !== undefined && this.#clock.monotonic() < known.until ? known.channel : undefined;
	}
}
