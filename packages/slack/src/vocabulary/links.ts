import type { Room } from "@parley/connector";
import { readMessageId } from "./message-id.ts";

type Place = Pick<Room, "channel" | "thread">;

/** Address of a channel or thread. https://docs.slack.dev/reference/methods/chat.getPermalink shows the form of links. */
export function linkToRoom(workspace: string, { channel, thread }: Place): string {
	const base = `${workspace.replace(/\/?$/, "/")}archives/${channel}`;
	const ts = thread === undefined ? undefined : readMessageId(thread)?.ts;
	return ts === undefined ? base : `${base}/p${ts.replace(".", "")}`;
}

/** Address of a message of a room, in the form of chat.getPermalink, which also names the thread of a message inside a thread. */
export function linkToPost(workspace: string, { channel, thread }: Place, post: string): string {
	const link = linkToRoom(workspace, { channel, thread: post });
	const ts = thread === undefined ? undefined : readMessageId(thread)?.ts;
	return ts === undefined || thread === post ? link : `${link}?thread_ts=${ts}&cid=${channel}`;
}
