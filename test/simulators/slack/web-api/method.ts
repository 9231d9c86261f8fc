import type { ChannelRecord } from "../platform/records.ts";
import { Refusal } from "../platform/refusal.ts";
import type { State } from "../platform/state.ts";
import type { AllMethods } from "./contract.ts";

/** A call that passed the contract, as a method receives it. */
export interface Call<Args> {
	readonly state: State;
	readonly args: Args;
}

export interface Method {
	readonly name: keyof AllMethods;
	/** Rate limit tier. `post`: like `chat.postMessage`. */
	readonly tier: 1 | 2 | 3 | 4 | "post";
	/** Required scope, if it does not depend on the channel. */
	readonly scope?: string;
	readonly token: "bot" | "app" | "configuration";
	/** Returns the fields of the response besides `ok`. */
	handle(call: Call<unknown>): Readonly<Record<string, unknown>>;
}

/** Defines a method, with the arguments of its type. */
export function method<Name extends Exclude<keyof AllMethods, "response_url">>(
	name: Name,
	how: Omit<Method, "name" | "handle" | "token"> & { readonly token?: Method["token"] },
	handle: (call: Call<AllMethods[Name]>) => Readonly<Record<string, unknown>>,
): Method {
	// The arguments match the schema, which is made of this type.
	return { token: "bot", ...how, name, handle: (call) => handle(call as Call<AllMethods[Name]>) };
}

/** https://docs.slack.dev/reference/methods#errors */
export function demandScope({ app }: State, needed: string): void {
	if (app.scopes.has(needed)) return;
	throw new Refusal("missing_scope", { body: { needed, provided: [...app.scopes].join(",") } });
}

const families = { channel: "channels", group: "groups", im: "im", mpim: "mpim" } as const;

/** The scope for channels of its kind: `channels:history`, `im:read`, … */
export function demandScopeThere(
	state: State,
	{ kind }: ChannelRecord,
	what: "history" | "read" | "write",
): void {
	demandScope(state, `${families[kind]}:${what}`);
}

/** A channel that the app can see: a public one, or one with the app as member. */
export function visibleChannel(state: State, id: string): ChannelRecord {
	const channel = state.channel(id);
	const isThere = channel.members.has(state.app.user);
	if (!isThere && channel.kind !== "channel") throw new Refusal("channel_not_found");
	return channel;
}

/** A channel with the app as member that is not archived. */
export function joinedChannel(state: State, id: string): ChannelRecord {
	const channel = visibleChannel(state, id);
	if (channel.archived) throw new Refusal("is_archived");
	if (!channel.members.has(state.app.user)) throw new Refusal("not_in_channel");
	return channel;
}
