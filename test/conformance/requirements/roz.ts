import { type Requirement, roz } from "../requirement.ts";

export const rozRequirements = {
	"roz.headers": roz("roz 1", "Response headers are sent before the first message of the client."),
	"roz.order": roz(
		"Session Protocol, roz 5",
		"A turn streams its deltas, is idle, and ends with one TurnComplete that names its message and its usage.",
	),
	"roz.pipelined": roz(
		"StartSession",
		"A client can send a message after its StartSession without waiting for the response.",
	),
	"roz.errors": roz(
		"SessionError, roz 2",
		"A frame at the wrong time is a SessionError with the code of its reason, and the stream continues.",
	),
	"roz.fatal": roz("roz 2", "A start that is not possible is a SessionError, and the stream ends with OK."),
	"roz.codes": roz(
		"roz 2",
		"A SessionError has the code of its reason, also if a budget, a limit or a denial ends the turn.",
	),
	"roz.stop-reason": roz(
		"roz 4",
		"TurnComplete has the stop reason of the last reply, also for a refusal or a truncated reply.",
	),
	"roz.failed": roz(
		"roz 2 and 4",
		"A failed turn ends with a SessionError alone, and the session accepts the next message.",
	),
	"roz.cancel": roz("CancelTurn, roz 4", "A cancelled turn ends with TurnComplete and `cancelled`."),
	"roz.cancel-session": roz(
		"CancelSession, roz 9",
		"CancelSession ends the stream immediately, without an error.",
	),
	"roz.half-close": roz("roz 9", "After a half-close the turn continues, and the stream ends after it."),
	"roz.keepalive": roz(
		"Keepalive, roz 8",
		"While a turn runs, a Keepalive every 15 s has the tokens of its last request.",
	),
	"roz.ping": roz("Pong, roz 8", "A Ping is answered at any time, also before the start."),
	"roz.malformed": roz("roz 2", "A message that cannot be decoded ends the stream with INTERNAL."),
	"roz.tools": roz(
		"Tool Protocol, roz 5 and 6",
		"A tool of the client is called with `calling_tool` and a ToolRequest, and its result reaches the model.",
	),
	"roz.answers": roz(
		"ToolResult, roz 6",
		"A call without an answer in time fails. Late, repeated and unknown answers have no effect.",
	),
	"roz.results": roz(
		"ToolResult, roz 6",
		"The exit code, the truncation and the duration of a result reach the model and the record of the session.",
	),
	"roz.offered-again": roz(
		"our own: Tools of the client",
		"A client that continues a session can offer its tools again.",
	),
	"roz.register": roz(
		"RegisterTools, roz 6",
		"RegisterTools replaces the tools of its source from the next turn on.",
	),
	"roz.gone": roz("roz 9", "Open calls of a disconnected client end as interrupted, and the run continues."),
	"roz.approval": roz(
		"Permission Protocol, roz 7",
		"The client receives the id of a call that requires approval. The call runs after a PermissionDecision, which can narrow it.",
	),
	"roz.modifier": roz(
		"PermissionDecision, roz 7",
		"A modifier can only narrow a call. One that adds arguments or classes of action denies the call with the reason.",
	),
	"roz.denied": roz("PermissionDecision, roz 7", "A denied call does not run, and the turn continues."),
	"roz.approval-elsewhere": roz(
		"rulings, introduction; roz 7",
		"A call is approved or denied by any client of its session, and the others see it.",
	),
	"roz.permissions": roz(
		"SessionStarted, roz 3",
		"SessionStarted has one rule for each tool of the session.",
	),
	"roz.models": roz("StartSession, roz 3", "A tier names a model, and SessionStarted has the real name."),
	"roz.history": roz(
		"StartSession, roz 13",
		"History, project context, system context and context blocks reach the model.",
	),
	"roz.compacted": roz(
		"StartSession, ContextCompacted, roz 5 and 13",
		"max_context_tokens limits each request. A turn that shortened older messages is followed by ContextCompacted with the counts and the summary.",
	),
	"roz.states": roz(
		"ActivityUpdate, roz 5",
		"ActivityUpdate names the state of a turn in each mode and the completed share of a list of steps.",
	),
	"roz.resume": roz(
		"our own: Continuing a session",
		"A start with the metadata `parley-session-id` resumes that session.",
	),
	"roz.chat-channel": roz(
		"our own: Continuing a session",
		"A client can resume the session of a chat channel, and can offer no tools there.",
	),
	"roz.shared": roz(
		"rulings, introduction",
		"A session of this wire is also a session of the HTTP API and of the WebSocket.",
	),
	"roz.feedback": roz("MessageFeedback", "Feedback about a message is stored with its turn."),
	"roz.ooda": roz(
		"UserMessage ai_mode, roz 10",
		"In OODA a turn has rounds of four phases. Each is a request of its own, only act sees tools, and activity names it.",
	),
	"roz.host": roz(
		"roz 10",
		"In a session with a host_id, act phases call the tools of the client that declared this host, and no other turn sees them.",
	),
	"roz.host-missing": roz(
		"roz 10",
		"A host that is not connected is an error with its id. A host that disconnects interrupts its calls.",
	),
	"roz.ooda-workers": roz("roz 10 and 12", "Each phase of a worker in OODA is a WorkerPhase."),
	"roz.reflection": roz(
		"rulings, One port",
		"Reflection returns the schema with all types that it uses, as grpcurl requires.",
	),
	"roz.team": roz(
		"WatchTeam, roz 12",
		"WatchTeam replays the workers of a task, each from its start to its exit, and ends with the last of them.",
	),
	"roz.team-unstarted": roz(
		"roz 12",
		"WatchTeam ends when the task and its workers have ended, also if one of them never started or was deleted.",
	),
	"roz.team-slow": roz("roz 12", "A client that reads WatchTeam late and slowly gets each event once."),
	"roz.team-too-slow": roz(
		"our own: WatchTeam",
		"A client that reads WatchTeam too slowly gets RESOURCE_EXHAUSTED, and can watch the task again.",
	),
	"roz.team-malformed": roz("roz 2 and 12", "A WatchTeam request that cannot be decoded ends with a status."),
	"roz.team-unknown": roz("roz 12", "WatchTeam of an unknown task is NOT_FOUND."),
	"roz.token": roz(
		"rulings, One port; security 2.2",
		"Streams require the token of the HTTP API as metadata.",
	),
} as const satisfies Record<string, Requirement>;
