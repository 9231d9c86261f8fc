import { ozzie, type Requirement } from "../requirement.ts";

export const envelopeRequirements = {
	"envelope.both": ozzie(
		"ruling 1",
		"With `?envelope=both` an event has its flat fields, the fields of an event record, and the payload again.",
	),
	"envelope.unknown": ozzie(
		"our own: Frames for existing Go clients",
		"An unknown envelope is refused with 400 before the upgrade.",
	),
	"envelope.limit": ozzie(
		"ruling 1",
		"On such a connection no message exceeds 32 KiB. Long texts are cut between characters, with a note that states the missing part.",
	),
	"envelope.complete": ozzie(
		"ruling 1",
		"`load_messages` returns the complete text of a cut frame in pages, by its number.",
	),
	"envelope.stream": ozzie(
		"observed, checklist",
		"A long text so far arrives as several deltas without loss.",
	),
	"envelope.reply": ozzie(
		"observed, checklist",
		"Events about an unfinished reply never exceed 32 KiB and do not disturb existing clients.",
	),
	"envelope.lists": ozzie(
		"our own: Frames for existing Go clients",
		"A list that does not fit is truncated and states how many entries are missing.",
	),
	"envelope.recognised": ozzie(
		"ruling 1",
		"An existing Go client, identified by its handshake and its first frame together, receives both envelopes. No other client does.",
	),
	"envelope.rights": ozzie("ruling 1", "The envelope of a client changes no right of its token."),
	"envelope.choice": ozzie(
		"ruling 1",
		"With both envelopes, an always-required approval is a select of `deny` (the default) and `approve`.",
	),
	"envelope.unread": ozzie(
		"ruling 1",
		"With both envelopes, an unreadable answer is requested once more with the reason. A second one denies with it.",
	),
	"envelope.refused-message": ozzie(
		"observed, checklist",
		"With both envelopes a refused message has an `assistant.message` with the error, which only its client receives.",
	),
	"envelope.one-prompt": ozzie(
		"ruling 1",
		"Such a client sees one open question of a session at a time, the oldest first.",
	),

	"http.guarded": ozzie(
		"security 2.2; security rulings 1 and 13",
		"On every path a wrong host name is 421, a foreign origin 403, a token in the address 400, and an unknown caller 401.",
	),
} satisfies Record<string, Requirement>;
