import { ozzie, type Requirement } from "../requirement.ts";

export const sessionRequirements = {
	"session.create": ozzie(
		"document, open_session",
		"`open_session` without an id, or with an empty one, creates a session.",
	),
	"session.created": ozzie(
		"document, session.created",
		"A new session begins with `session.created`, whose payload is empty.",
	),
	"session.resume": ozzie(
		"document, open_session",
		"With its id a session resumes, and its status is `resumed`.",
	),
	"session.unknown": ozzie(
		"ruling 5; runtime rule 1",
		"An unknown or malformed id is refused with `session not found`.",
	),
	"session.implicit": ozzie(
		"document, send_message",
		"A message or `accept_all_tools` without an open session creates one.",
	),
	"session.replace": ozzie("ruling 3", "Opening a session replaces the current one, whose events stop."),
	"session.join": ozzie("ruling 3", "`join` adds a session, and the current one stays current."),
	"session.address": ozzie("ruling 3", "A request names one of the connection's sessions with `session_id`."),
	"session.address-unjoined": ozzie(
		"ruling 3",
		"A request cannot name a session that the connection has not joined.",
	),
	"session.resume-many": ozzie(
		"ruling 3",
		"`resume` joins many sessions at once, each from its own number and with its own result.",
	),
	"session.external-key": ozzie(
		"ruling 12",
		"The same `external_key` always returns the same session, also for two simultaneous requests.",
	),
	"session.list": ozzie(
		"ruling 12",
		"`list_sessions` returns the sessions with title, external key, status and last number.",
	),
	"session.messages": ozzie(
		"ruling 12",
		"`load_messages` returns the last messages in ascending order, in pages that go back by `before`.",
	),
	"session.closed": ozzie(
		"document, Lifecycle; ruling 11",
		"A session closes when its last client leaves, and opening it again makes it active.",
	),
	"session.goes-on": ozzie("ruling 11", "Runs and open questions continue without connected clients."),
	"session.survives": ozzie("architecture, decision 1", "Sessions and open questions survive a restart."),
	"session.root": ozzie(
		"document, open_session; runtime rule 8",
		"Tools work in `root_dir`, else in the first root, else in the gateway's directory.",
	),
	"session.root-any": ozzie(
		"runtime rule 8",
		"Without configured roots, any existing directory outside the data directory is accepted.",
	),
	"session.root-outside": ozzie(
		"runtime rule 8",
		"With configured roots, a directory outside of them is refused: `invalid params: root_dir`.",
	),

	"key.repeat": ozzie(
		"ruling 12; security ruling 17",
		"The same request with the same key gets the first response and changes nothing.",
	),
	"key.other": ozzie(
		"security ruling 17",
		"A key that was used for another request is refused with `invalid params`.",
	),
	"command.list": ozzie(
		"our own: Commands in the background",
		"A command in the background outlives its turn. Its start is an event, and `list_commands` lists it.",
	),
	"command.stop": ozzie(
		"our own: Commands in the background",
		"`stop_command` ends a command for all, and the end is an event with its reason and the person.",
	),
	"command.own": ozzie(
		"our own: Run a command yourself",
		"`run_command` runs a command of the operator with policy, approval and output like the tool. No model is called, later ones see it, and `cancel_turn` stops it.",
	),
	"changes.undo": ozzie(
		"our own: File changes of a turn",
		"`file_changes` shows the files that the last turn with changes wrote, and `undo_changes` restores them with policy and approval. No model is called, and later ones see it.",
	),
	"command.restart": ozzie(
		"our own: Commands in the background",
		"A command that the end of the gateway ended is reported as such, and the agent learns it with the next message.",
	),
} satisfies Record<string, Requirement>;
