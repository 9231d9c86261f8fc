import { ozzie, type Requirement } from "../requirement.ts";

export const sessionListRequirements = {
	"list.title": ozzie(
		"our own, titles",
		"A session that nobody has named gets a title after its first run that ended well, told by `session.renamed`.",
	),
	"list.rename": ozzie(
		"our own, titles",
		"`rename_session` gives a title that no model replaces; an empty one lets a model choose again.",
	),
	"list.search": ozzie(
		"our own, search",
		"`list_sessions` with a `query` lists the sessions that hold all of its words, whatever their case.",
	),
	"list.state": ozzie(
		"our own, search",
		"`list_sessions` tells whether a session is idle, running or waiting.",
	),
	"list.delete": ozzie(
		"our own, deletion",
		"`delete_session` removes a session; everybody in it gets `session.deleted`, and it is not found any more.",
	),
	"list.delete-busy": ozzie(
		"our own, deletion",
		"A session in which something runs or waits is busy, and deleted only with `force`.",
	),
	"list.delete-once": ozzie(
		"our own, deletion",
		"A deletion that is repeated with its key is answered again; the key of `open_session` brings nothing back.",
	),
	"list.http-after": ozzie(
		"ruling 13",
		"`after` with `session` pages through `/api/events`, oldest first; anything out of range is 400.",
	),
	"list.http-sessions": ozzie(
		"ruling 13",
		"`query` and `id` narrow `/api/sessions`, which tells costs and states.",
	),
	"list.stream": ozzie(
		"our own, event stream",
		"`/api/events` as an event stream tells what happens; `Last-Event-ID` goes on without gap or repeat.",
	),
} satisfies Record<string, Requirement>;
