import { ozzie, type Requirement } from "../requirement.ts";

export const sessionRequirements = {
	"session.create": ozzie(
		"document, open_session",
		"Without an id, or with an empty one, `open_session` creates a session.",
	),
	"session.created": ozzie(
		"document, session.created",
		"A new session begins with `session.created`, whose payload is empty.",
	),
	"session.resume": ozzie(
		"document, open_session",
		"With its id a session goes on where it was, and its status is `resumed`.",
	),
	"session.unknown": ozzie(
		"ruling 5; runtime rule 1",
		"An id that is unknown or no id at all is refused with `session not found`.",
	),
	"session.implicit": ozzie(
		"document, send_message",
		"A message, or trust, without an open session creates one.",
	),
	"session.replace": ozzie(
		"ruling 3",
		"Opening a session takes the place of the current one, whose events stop.",
	),
	"session.join": ozzie("ruling 3", "With `join` a session is added, and the current one stays current."),
	"session.address": ozzie("ruling 3", "A request names one of the connection's sessions with `session_id`."),
	"session.address-unjoined": ozzie(
		"ruling 3",
		"A session that the connection has not joined cannot be addressed.",
	),
	"session.resume-many": ozzie(
		"ruling 3",
		"`resume` joins many sessions at once, each from its own number, each with its own outcome.",
	),
	"session.external-key": ozzie(
		"ruling 12",
		"The same `external_key` always leads to the same session, also when two ask at once.",
	),
	"session.list": ozzie(
		"ruling 12",
		"`list_sessions` shows the sessions with title, external key, status and last number.",
	),
	"session.messages": ozzie(
		"ruling 12",
		"`load_messages` gives the last messages, oldest first, in pages that go back by `before`.",
	),
	"session.closed": ozzie(
		"document, Lifecycle; ruling 11",
		"When its last client leaves, a session is closed; who opens it again makes it active.",
	),
	"session.goes-on": ozzie("ruling 11", "Runs and open questions go on when nobody is there."),
	"session.survives": ozzie(
		"architecture, decision 1",
		"Sessions and open questions are there after a restart.",
	),
	"session.root": ozzie(
		"document, open_session; runtime rule 8",
		"Tools work in `root_dir`, or in the first root, or where the gateway runs.",
	),
	"session.root-any": ozzie(
		"runtime rule 8",
		"Without given roots any existing directory outside the data directory can be named.",
	),
	"session.root-outside": ozzie(
		"runtime rule 8",
		"With given roots a directory outside of them is refused: `invalid params: root_dir`.",
	),

	"key.repeat": ozzie(
		"ruling 12; security ruling 17",
		"The same request with the same key gets the first answer and changes nothing.",
	),
	"key.other": ozzie(
		"security ruling 17",
		"A key that was used for another request is refused with `invalid params`.",
	),
} satisfies Record<string, Requirement>;
