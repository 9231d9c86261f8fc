import { ozzie, type Requirement } from "../requirement.ts";

export const connectionRequirements = {
	"connection.many": ozzie(
		"document, Lifecycle",
		"Many clients can be connected at once, each with its own session.",
	),
	"connection.shared": ozzie(
		"document, Lifecycle",
		"Clients of the same session see the same events, whoever caused them.",
	),
	"connection.kept": ozzie(
		"document, Keep-alive",
		"A client that only answers pings stays connected; one that does not is let go.",
	),
	"connection.binary": ozzie(
		"security ruling 19",
		"A binary message with JSON in it counts as text; any other closes the connection with 1003.",
	),
	"connection.draining": ozzie(
		"ruling 5",
		"A gateway that is about to stop takes no more work (`draining`), says that it is not well, and ends what runs.",
	),
	"connection.goodbye": ozzie(
		"observed, checklist",
		"A gateway that stops closes its connections with 1001.",
	),
	"connection.slow": ozzie(
		"security ruling 14",
		"Who does not read loses deltas, is then closed with 1013, and finds everything recorded when it resumes.",
	),
	"connection.rate": ozzie(
		"security ruling 14",
		"More than 50 requests a second of one session are `rate limited`.",
	),
	"connection.document-client": ozzie(
		"document, Pseudocode Reference",
		"The document's own client works unchanged.",
	),

	"frame.text": ozzie(
		"document, Overview",
		"What the gateway sends are text messages of one JSON object each, `res` or `event`.",
	),
	"frame.unknown-keys": ozzie(
		"observed, checklist",
		"Keys that nobody knows change nothing, in a frame or in its parameters.",
	),
	"frame.malformed": ozzie(
		"ruling 5",
		"What is no request is refused exactly once, does nothing, reaches nobody, and the connection lives on.",
	),
	"frame.numeric-id": ozzie("ruling 5", "A request whose id is a number is refused with `invalid id`."),
	"frame.id": ozzie("issue", "NUL alone is no `id`: such a request is refused without one."),
	"frame.duplicate-id": ozzie(
		"ruling 5",
		"A request with the id of one that is not answered yet is refused with `duplicate id`.",
	),
	"frame.unknown-method": ozzie("ruling 5", "A method that does not exist is refused by its name."),
	"frame.invalid-params": ozzie(
		"ruling 5",
		"Parameters of a wrong form are refused with `invalid params`, and do nothing.",
	),

	"response.id": ozzie("document, Response", "A response carries the id of its request."),
	"response.success": ozzie("document, Response", "A success has `ok: true` and a payload, and no error."),
	"response.failure": ozzie(
		"document, Response",
		"A failure has `ok: false` and an error in words, and no payload.",
	),
	"response.next": ozzie(
		"ruling 4",
		"After a request was read, the next frame on its connection is its response.",
	),
	"response.before-events": ozzie(
		"ruling 4",
		"Nothing is pushed before a connection's first session is answered; `session.created` comes right after.",
	),
	"response.durable": ozzie(
		"rulings 4 and 6",
		"Nobody is told that something was done before it is durable.",
	),

	"event.form": ozzie(
		"document, Event; ruling 1",
		"An event names itself and its session; its payload is flat.",
	),
	"event.keys": ozzie(
		"ruling 1",
		"Every documented key of a payload is there, empty where there is nothing to tell.",
	),
	"event.scope": ozzie(
		"document, Event",
		"A client gets the events of the sessions that it has joined and no others.",
	),

	"seq.numbers": ozzie(
		"ruling 2",
		"What is kept of a session is numbered from 1, without gaps or repetitions.",
	),
	"seq.transient": ozzie(
		"ruling 2",
		"Frames of a reply in the making are marked transient and carry the number of the last kept frame.",
	),
	"seq.same": ozzie("ruling 2", "A number stands for the same frame for every client, live or replayed."),
	"seq.replay": ozzie("ruling 2", "`after_seq` replays what came after it, in order, before anything live."),
	"seq.last": ozzie("ruling 2", "The answer to `open_session` tells the last number there is."),
	"seq.no-stream": ozzie("ruling 2", "A finished reply is replayed as its message alone."),
	"seq.text-so-far": ozzie(
		"ruling 2",
		"Who comes in the middle of a reply gets its start and one delta with all of it so far.",
	),
	"seq.not-available": ozzie(
		"ruling 2",
		"A number that cannot be had is refused with `seq not available` and the number.",
	),
} satisfies Record<string, Requirement>;
