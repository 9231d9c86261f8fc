import type { ChannelRecord } from "../platform/records.ts";
import { Refusal } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import type { AllMethods } from "./contract.ts";

/** Call of a method. The contract has accepted its arguments. */
export interface Call<Args> {
	readonly state: State;
	readonly args: Args;
}

export interface Method {
	readonly name: keyof AllMethods;
	/** Rate limit tier. `post` is the limit of `chat.postMessage`. */
	readonly tier: 1 | 2 | 3 | 4 | "post";
	/** Required scope. Absent if the method needs no scope, or if the scope depends on the call. */
	readonly scope?: string;
	readonly token: "bot" | "app" | "configuration";
	/** Returns the fields of the response in addition to `ok`. */
	handle(call: Call<unknown>): Readonly<Record<string, unknown>>;
}

export function method<Name extends Exclude<keyof AllMethods, "response_url">>(
	name: Name,
	how: Omit<Method, "name" | "handle" | "token"> & { readonly token?: Method["token"] },
	handle: (call: Call<AllMethods[Name]>) => Readonly<Record<string, unknown>>,
): Method {
	// The cast is safe because the arguments match the schema, which is generated from this type.
	return { token: "bot", ...how, name, handle: (call) => handle(call as Call<AllMethods[Name]>) };
}

/** Throws unless the app has the scope: https://docs.slack.dev/reference/methods#errors */
export function demandScope({ app }: State, needed: string): void {
	if (app.scopes.has(needed)) return;
	throw new Refusal("missing_scope", { body: { needed, provided: [...app.scopes].join(",") } });
}

const families = { channel: "channels", group: "groups", im: "im", mpim: "mpim" } as const;

/**
 * Throws unless the app has the scope for this kind of channel, for example `channels:history` or `im:read`.
 */
export function demandScopeThere(
	state: State,
	{ kind }: ChannelRecord,
	what: "history" | "read" | "write",
): void {
	demandScope(state, `${families[kind]}:${what}`);
}

/** Returns a channel that the app sees: a public channel, or one with the app as a member. Throws for any other channel. */
export function visibleChannel(state: State, id: string): ChannelRecord {
	const channel = state.channel(id);
	const isThere = channel.members.has(state.app.user);
	if (!isThere && channel.kind !== "channel") throw new Refusal("channel_not_found");
	return channel;
}

/** Returns a channel. Throws unless the app is a member of the channel and the channel is not archived. */
export function joinedChannel(state: State, id: string): ChannelRecord {
	const channel = visibleChannel(state, id);
	if (channel.archived) throw new Refusal("is_archived");
	if (!channel.members.has(state.app.user)) throw new Refusal("not_in_channel");
	return channel;
}
