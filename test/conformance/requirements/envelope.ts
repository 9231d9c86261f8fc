import { ozzie, type Requirement } from "../requirement.ts";

export const envelopeRequirements = {
	"envelope.both": ozzie(
		"ruling 1",
		"With `?envelope=both` an event has its flat fields, the fields of an event record, and the payload once more.",
	),
	"envelope.unknown": ozzie(
		"our own: Envelopes",
		"An envelope that is not known is refused with 400 before the upgrade.",
	),
	"envelope.limit": ozzie(
		"ruling 1",
		"On such a connection no message is above 32 KiB: long texts are cut between characters and say what is missing.",
	),
	"envelope.whole": ozzie(
		"ruling 1",
		"What was cut is had whole through `load_messages`, in pages, by the number of its frame.",
	),
	"envelope.stream": ozzie(
		"observed, checklist",
		"A long text so far comes there as several deltas, which lose nothing.",
	),
	"envelope.reply": ozzie(
		"observed, checklist",
		"Events about a reply in the making come there, too, never above 32 KiB, and disturb no existing client.",
	),
	"envelope.lists": ozzie(
		"our own: Envelopes",
		"A list that does not fit there ends early and says how many are missing.",
	),
	"envelope.recognised": ozzie(
		"ruling 1",
		"An existing Go client, known by its handshake and its first frame together, gets both envelopes; no other client does.",
	),
	"envelope.rights": ozzie("ruling 1", "The envelope of a client changes no right of its token."),
	"envelope.choice": ozzie(
		"ruling 1",
		"With both envelopes an approval that is always required is a select of `deny`, the default, and `approve`.",
	),
	"envelope.unread": ozzie(
		"ruling 1",
		"With both envelopes an answer that cannot be read is asked for again once, with the reason, and then denies with it.",
	),
	"envelope.refused-message": ozzie(
		"observed, checklist",
		"With both envelopes a refused message has an `assistant.message` with the error, which only its client receives.",
	),
	"envelope.one-prompt": ozzie(
		"ruling 1",
		"Of a conversation's open questions such a client sees one at a time, the first.",
	),

	"http.guarded": ozzie(
		"security 2.2; security rulings 1 and 13",
		"On every path a wrong name is 421, a foreign origin 403, a token in the address 400, an unknown caller 401.",
	),
} satisfies Record<string, Requirement>;
