import { ozzie, type Requirement } from "../requirement.ts";

export const httpRequirements = {
	"http.health": ozzie(
		"document, HTTP Endpoints",
		'`/api/health` answers `{"status":"ok"}` without a token.',
	),
	"http.websocket": ozzie("document, HTTP Endpoints", "Only `/api/ws` is upgraded to a WebSocket."),
	"http.no-tunnel": ozzie("our own", "CONNECT is answered with 405, because the gateway is not a proxy."),
	"http.events": ozzie(
		"document, HTTP Endpoints",
		"`/api/events` returns the newest events in ascending order, 50 by default.",
	),
	"http.events-filter": ozzie(
		"ruling 13",
		"`session` and `type` filter `/api/events`. Types have the names of the WebSocket.",
	),
	"http.sessions": ozzie(
		"document, HTTP Endpoints",
		"`/api/sessions` returns the sessions with message counts and usage.",
	),
	"http.tasks": ozzie(
		"document, HTTP Endpoints",
		"`/api/tasks` is a list, which may be empty. `session_id` and `status` filter it.",
	),
	"http.limit": ozzie("ruling 13", "A limit that is not a whole number from 1 to 1000 is answered with 400."),
	"http.never-null": ozzie("ruling 13", "Empty lists are arrays."),
	"http.discreet": ozzie("ruling 13", "Tokens that answer questions never appear in HTTP responses."),
	"http.health-verbose": ozzie(
		"our own",
		"With a token, `/api/health?verbose` reports listeners, the model and the storage.",
	),
} satisfies Record<string, Requirement>;
