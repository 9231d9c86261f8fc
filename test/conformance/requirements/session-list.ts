import { ozzie, type Requirement } from "../requirement.ts";

export const sessionListRequirements = {
	"list.title": ozzie(
		"our own: List sessions",
		"An unnamed session gets a title after its first successful run, reported by `session.renamed`.",
	),
	"list.rename": ozzie(
		"our own: List sessions",
		"`rename_session` sets a title that no model replaces. An empty title enables automatic titles again.",
	),
	"session.fork": ozzie(
		"our own: Fork a session",
		"`fork_session` starts a session with the messages of another one, up to an answered message, without its grants.",
	),
	"session.compact": ozzie(
		"our own: Compact a session",
		"`compact_session` starts a compaction and is refused while the session works. `compaction.ended` reports its end.",
	),
	"list.search": ozzie(
		"our own: List sessions",
		"`list_sessions` with a `query` returns the sessions that contain all of its words, in any case.",
	),
	"list.state": ozzie(
		"our own: List sessions",
		"`list_sessions` reports whether a session is idle, running or waiting.",
	),
	"list.delete": ozzie(
		"our own: Delete a session",
		"`delete_session` removes a session. Its clients receive `session.deleted`, and it is no longer found.",
	),
	"list.delete-busy": ozzie(
		"our own: Delete a session",
		"A session with an active run or an open question is busy, and is deleted only with `force`.",
	),
	"list.delete-once": ozzie(
		"our own: Delete a session",
		"A repeated deletion with its key gets the same response. The key of `open_session` does not restore the session.",
	),
	"list.http-after": ozzie(
		"ruling 13",
		"`after` with `session` pages through `/api/events` in ascending order. A value out of range is 400.",
	),
	"list.http-sessions": ozzie(
		"ruling 13",
		"`query` and `id` filter `/api/sessions`, which has costs and states.",
	),
	"list.stream": ozzie(
		"our own: Events",
		"`/api/events` as an event stream sends new events. `Last-Event-ID` resumes without gaps or repetitions.",
	),
} satisfies Record<string, Requirement>;
