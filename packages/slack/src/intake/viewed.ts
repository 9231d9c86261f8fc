import { type Clock, createCache } from "@parley/base";
import * as z from "zod";
import { id } from "./wire.ts";

/** A person who has not looked at another channel in this time may have left Slack. */
const retentionMs = 30 * 60_000;
const maxEntries = 5000;

/** https://docs.slack.dev/reference/events/app_context_changed */
const Context = z.object({
	entities: z.array(z.object({ type: z.string(), value: z.unknown() })).default([]),
});
const channelType = "slack#/types/channel_id";

/** Channels that people look at beside the app, as Slack reports them. */
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

	/** Reads the context of an event. A context without a channel ends the view. */
	note(user: string, context: unknown): void {
		const { entities } = Context.safeParse(context).data ?? { entities: [] };
		const entity = entities.find(({ type }) => type === channelType);
		const channel = id.safeParse(entity?.value).data;
		if (channel === undefined) this.#known.delete(user);
		else this.#known.set(user, { channel, until: this.#clock.monotonic() + retentionMs });
	}

	/** Undefined if the person looks at no channel. */
	channelOf(user: string): string | undefined {
		const known = this.#known.get(user);
		return known !== undefined && this.#clock.monotonic() < known.until ? known.channel : undefined;
	}
}
