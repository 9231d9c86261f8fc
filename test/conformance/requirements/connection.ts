import { ozzie, type Requirement } from "../requirement.ts";

export const connectionRequirements = {
	"connection.many": ozzie(
		"document, Lifecycle",
		"Many clients can connect at the same time, each with its own session.",
	),
	"connection.shared": ozzie(
		"document, Lifecycle",
		"All clients of a session receive the same events, whichever client caused them.",
	),
	"connection.alive": ozzie(
		"document, Keep-alive",
		"A client that only answers pings stays connected. A client that does not answer is disconnected.",
	),
	"connection.binary": ozzie(
		"security ruling 19",
		"A binary message that contains JSON is treated as text. Any other binary message closes the connection with 1003.",
	),
	"connection.draining": ozzie(
		"ruling 5",
		"A gateway that is stopping refuses new work with `draining`, reports itself unhealthy, and ends its runs.",
	),
	"connection.goodbye": ozzie(
		"observed, checklist",
		"A gateway that stops closes its connections with 1001.",
	),
	"connection.slow": ozzie(
		"security ruling 14",
		"A client that does not read loses deltas, is closed with 1013, and receives all recorded events when it resumes.",
	),
	"connection.rate": ozzie(
		"security ruling 14",
		"More than 50 requests per second for one session are `rate limited`.",
	),
	"connection.document-client": ozzie(
		"document, Pseudocode Reference",
		"The client in the document works unchanged.",
	),

	"frame.text": ozzie(
		"document, Overview",
		"The gateway sends text messages. Each is one JSON object, `res` or `event`.",
	),
	"frame.unknown-keys": ozzie(
		"observed, checklist",
		"Unknown keys in a frame or its parameters have no effect.",
	),
	"frame.malformed": ozzie(
		"ruling 5",
		"A frame that is not a request is refused exactly once, has no effect, and does not close the connection.",
	),
	"frame.numeric-id": ozzie("ruling 5", "A request whose id is a number is refused with `invalid id`."),
	"frame.id": ozzie("issue", "NUL alone is not an `id`: such a request is refused without one."),
	"frame.duplicate-id": ozzie(
		"ruling 5",
		"A request with the id of an unanswered request is refused with `duplicate id`.",
	),
	"frame.unknown-method": ozzie("ruling 5", "An unknown method is refused with its name."),
	"frame.invalid-params": ozzie(
		"ruling 5",
		"Parameters with a wrong shape are refused with `invalid params` and have no effect.",
	),

	"response.id": ozzie("document, Response", "A response carries the id of its request."),
	"response.success": ozzie("document, Response", "A success has `ok: true`, a payload and no error."),
	"response.failure": ozzie("document, Response", "A failure has `ok: false`, an error text and no payload."),
	"response.next": ozzie("ruling 4", "The next frame after a request on its connection is its response."),
	"response.before-events": ozzie(
		"ruling 4",
		"No event is sent before the response for the connection's first session. `session.created` follows that response.",
	),
	"response.durable": ozzie("rulings 4 and 6", "A result is durable before any client receives it."),

	"event.form": ozzie(
		"document, Event; ruling 1",
		"An event names its type and its session, and its payload is flat.",
	),
	"event.keys": ozzie(
		"ruling 1",
		"A payload has every documented key, with an empty value if there is no information.",
	),
	"event.scope": ozzie(
		"document, Event",
		"A client receives the events of the sessions that it joined, and no others.",
	),

	"seq.numbers": ozzie(
		"ruling 2",
		"Recorded events of a session are numbered from 1 without gaps or repetitions.",
	),
	"seq.transient": ozzie(
		"ruling 2",
		"Frames of an unfinished reply are marked `transient` and have the number of the last recorded frame.",
	),
	"seq.same": ozzie("ruling 2", "A number identifies the same frame for every client, live or replayed."),
	"seq.replay": ozzie("ruling 2", "`after_seq` replays all later events in order before any live event."),
	"seq.last": ozzie("ruling 2", "The response to `open_session` has the last number."),
	"seq.no-stream": ozzie("ruling 2", "A finished reply is replayed as its message alone."),
	"seq.text-so-far": ozzie(
		"ruling 2",
		"A client that joins during a reply receives its start and one delta with the text so far.",
	),
	"seq.not-available": ozzie(
		"ruling 2",
		"An unavailable number is refused with `seq not available` and the number.",
	),
} satisfies Record<string, Requirement>;
