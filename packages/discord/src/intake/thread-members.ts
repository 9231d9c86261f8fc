import { ParleyError } from "@parley/base";
import type { DiscordRest } from "../vocabulary/discord-port.ts";
import type { Channels } from "./channels.ts";

/** Type of a private thread: resources/channel#channel-object-channel-types */
const privateThread = 12;
/**
 * Types of text channels and announcement channels. Messages in these channels can have threads:
 * resources/channel#start-thread-from-message
 */
const withThreads: ReadonlySet<number> = new Set([0, 5]);

/**
 * Whether a copy of a conversation may continue in a public thread. False for a private thread, because its content
 * would become public. Also false in a channel without message threads, such as a forum.
 */
export async function mayForkRoom(
	channels: Channels,
	{ channel, thread }: { readonly channel: string; readonly thread?: string | undefined },
	signal: AbortSignal,
): Promise<boolean> {
	const own = thread === undefined ? undefined : await channels.find(thread, signal);
	if (thread !== undefined && (own === undefined || own.type === privateThread)) return false;
	const parent = await channels.find(channel, signal);
	return parent !== undefined && withThreads.has(parent.type);
}

/**
 * Whether a person may see a thread. The person must be able to read the channel of the thread. A private thread is
 * visible only for its members. False for a deleted thread. Rejects with `unavailable` if the members of the thread
 * cannot be read.
 */
export async function maySeeThread(
	{ port, channels }: { readonly port: DiscordRest; readonly channels: Channels },
	{ thread, user }: { readonly thread: string; readonly user: string },
	signal: AbortSignal,
): Promise<boolean> {
	const channel = await channels.find(thread, signal);
	if (channel === undefined) return false;
	if (channel.type !== privateThread) return true;
	const path = `/channels/${thread}/thread-members/${user}`;
	const { status } = await port.request({ method: "GET", path });
	if (status === 429 || status >= 500) {
		throw new ParleyError(`cannot read the members of thread ${thread}: Discord answered ${status}`, {
			code: "unavailable",
		});
	}
	return status === 200;
}
