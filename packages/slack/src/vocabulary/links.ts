import type { Room } from "@parley/connector";
import { readMessageId } from "./message-id.ts";

type Place = Pick<Room, "channel" | "thread">;

/**
 * Returns the URL of a channel or a thread, in the form of links from https://docs.slack.dev/reference/methods/chat.getPermalink.
 */
export function linkToRoom(workspace: string, { channel, thread }: Place): string {
	const base = `${workspace.replace(/\/?$/, "/")}archives/${channel}`;
	const ts = thread === undefined ? undefined : readMessageId(thread)?.ts;
	return ts === undefined ? base : `${base}/p${ts.replace(".", "")}`;
}

/**
 * Returns the URL of a message in a room, in the form of chat.getPermalink. For a message in a thread, the URL also names the
 * thread.
 */
export function linkToPost(workspace: string, { channel, thread }: Place, post: string): string {
	const link = linkToRoom(workspace, { channel, thread: post });
	const ts = thread === undefined ? undefined : readMessageId(thread)?.ts;
	return ts === undefined || thread === post ? link : `${link}?thread_ts=${ts}&cid=${channel}`;
}
