import { defined } from "@parley/base";
import type { ReadContext, ReadSummary } from "@parley/core";
import type { MethodParams, MethodResult } from "@parley/protocol";
import { toTime } from "../shared/time.ts";

type Context = NonNullable<MethodParams<"send_message">["context"]>;

/** Decodes the context of a message: chat messages that the client has read. */
export function decodeContext({ messages, has_older: hasOlder = false, problem }: Context): ReadContext {
	return { messages: messages.map(decodeMessage), hasOlder, ...defined({ problem }) };
}

function decodeMessage({
	id,
	relation,
	author,
	ts,
	edited_ts: editedTs,
	text,
	files = [],
}: Context["messages"][number]): ReadContext["messages"][number] {
	const { roles = [], guest = false, bot = false, self, ...named } = author;
	return {
		id,
		relation,
		author: { ...named, roles, guest, bot, ...defined({ self }) },
		at: Date.parse(ts),
		text,
		files: files.map(({ media_type: mediaType, ...file }) => defined({ ...file, mediaType })),
		...defined({ editedAt: editedTs === undefined ? undefined : Date.parse(editedTs) }),
	};
}

/** Encodes the summary of the chat messages that the model got as context. */
export function encodeRead(read: ReadSummary): MethodResult<"explain">["read"] {
	const { authors, files, oldest, newest, hasOlder, ...same } = read;
	return {
		...same,
		authors: authors.map((author) => ({ ...author })),
		files: [...files],
		has_older: hasOlder,
		...defined({
			oldest: oldest === undefined ? undefined : toTime(oldest),
			newest: newest === undefined ? undefined : toTime(newest),
		}),
	};
}
