import { eventScopes } from "./manifest.ts";
import type { ChannelKind, ChannelRecord } from "./records.ts";
import type { SimulatorEvent, State } from "./state.ts";

/** Content of an event, and the condition under which the app receives it. */
export interface AppEvent {
	/** Name of the event in the manifest, for example `message.channels` or `app_mention`. */
	readonly subscription: string;
	readonly channel?: ChannelRecord;
	/** Whether the app receives the event without being a member of the channel. */
	readonly everywhere?: boolean;
	readonly event: Readonly<Record<string, unknown>>;
}

const messageEvents: Readonly<Record<ChannelKind, string>> = {
	channel: "message.channels",
	group: "message.groups",
	im: "message.im",
	mpim: "message.mpim",
};

/** Returns the subscription for messages in a kind of channel: https://docs.slack.dev/reference/events/message */
export function messageEvent({ kind }: ChannelRecord): string {
	return messageEvents[kind];
}

/**
 * Sends the events to the app. Skips events to which the app has not subscribed, or for which the app lacks the
 * scope. The app must be a member of an event's channel, unless `everywhere` is set. Events of one call may arrive in
 * any order.
 */
export function sendEvents(state: State, ...all: readonly AppEvent[]): void {
	const received = all.filter((one) => receives(state, one));
	const events = received.map(({ event, channel }): SimulatorEvent => {
		return { kind: "event", body: event, ...(channel && { channel }) };
	});
	if (events.length > 0) state.emit(...events);
}

function receives({ app }: State, { subscription, channel, everywhere = false }: AppEvent): boolean {
	const scope = eventScopes[subscription];
	if (scope === undefined) throw new Error(`no manifest can name ${subscription}`);
	if (!app.subscriptions.has(subscription)) return false;
	if (scope !== "" && !app.scopes.has(scopeThere(scope, channel))) return false;
	return channel === undefined || everywhere || channel.members.has(app.user);
}

function scopeThere(scope: string, channel: ChannelRecord | undefined): string {
	// Outside public channels, `groups:read` replaces `channels:read`.
	return scope === "channels:read" && channel && channel.kind !== "channel" ? "groups:read" : scope;
}
