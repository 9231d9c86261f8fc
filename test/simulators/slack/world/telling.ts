import { eventScopes } from "./manifest.ts";
import type { ChannelKind, ChannelRecord } from "./records.ts";
import type { State, WorldEvent } from "./state.ts";

/** Event content and its audience. */
export interface Told {
	/** Name in the manifest: `message.channels`, `app_mention`. */
	readonly subscription: string;
	readonly channel?: ChannelRecord;
	/** True if the app receives it without being a member of the channel. */
	readonly everywhere?: boolean;
	readonly event: Readonly<Record<string, unknown>>;
}

const messageEvents: Readonly<Record<ChannelKind, string>> = {
	channel: "message.channels",
	group: "message.groups",
	im: "message.im",
	mpim: "message.mpim",
};

/** The subscription for messages of the channel: https://docs.slack.dev/reference/events/message */
export function messageEvent({ kind }: ChannelRecord): string {
	return messageEvents[kind];
}

/** Sends the app the events that it subscribed to, may read, and is present for. Events of one call arrive in any order. */
export function tell(state: State, ...all: readonly Told[]): void {
	const heard = all.filter((one) => hears(state, one));
	const events = heard.map(({ event, channel }): WorldEvent => {
		return { kind: "event", body: event, ...(channel && { channel }) };
	});
	if (events.length > 0) state.emit(...events);
}

function hears({ app }: State, { subscription, channel, everywhere = false }: Told): boolean {
	const scope = eventScopes[subscription];
	if (scope === undefined) throw new Error(`no manifest can name ${subscription}`);
	if (!app.subscriptions.has(subscription)) return false;
	if (scope !== "" && !app.scopes.has(scopeThere(scope, channel))) return false;
	return channel === undefined || everywhere || channel.members.has(app.user);
}

/** Joins and leaves of private channels need the scope of private channels. */
function scopeThere(scope: string, channel: ChannelRecord | undefined): string {
	return scope === "channels:read" && channel && channel.kind !== "channel" ? "groups:read" : scope;
}
