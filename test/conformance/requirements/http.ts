import { ozzie, type Requirement } from "../requirement.ts";

export const httpRequirements = {
	"http.health": ozzie("document, HTTP Endpoints", '`/api/health` answers `{"status":"ok"}` to anybody.'),
	"http.websocket": ozzie(
		"document, HTTP Endpoints",
		"`/api/ws` is upgraded to a WebSocket, and nothing else is.",
	),
	"http.no-tunnel": ozzie("our own", "CONNECT is answered with 405: the gateway is no proxy."),
	"http.events": ozzie(
		"document, HTTP Endpoints",
		"`/api/events` lists the newest events, oldest first, 50 unless told.",
	),
	"http.events-filter": ozzie(
		"ruling 13",
		"`session` and `type` narrow `/api/events`; types are named as on the WebSocket.",
	),
	"http.sessions": ozzie(
		"document, HTTP Endpoints",
		"`/api/sessions` lists the sessions with their message counts and usage.",
	),
	"http.tasks": ozzie(
		"document, HTTP Endpoints",
		"`/api/tasks` is a list, empty as long as there are no tasks; `session_id` and `status` narrow it.",
	),
	"http.limit": ozzie("ruling 13", "A limit that is no whole number from 1 to 1000 is answered with 400."),
	"http.never-null": ozzie("ruling 13", "Lists are arrays, also when there is nothing in them."),
	"http.discreet": ozzie("ruling 13", "Tokens that answer questions never appear there."),
	"http.health-verbose": ozzie(
		"our own",
		"`/api/health?verbose` tells those who have the token who can come in, and how the model and the storage are.",
	),
} satisfies Record<string, Requirement>;
