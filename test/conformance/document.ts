import type { RequirementId } from "./requirements.ts";

/** A sentence of the protocol document that promises something to clients, in our words, and what shows it. */
export interface Sentence {
	readonly section: string;
	readonly says: string;
	/** The requirements that keep it; each has a scenario. */
	readonly kept: readonly RequirementId[];
}

/** A sentence whose feature is not there yet, with the methods or events that say so. */
export interface LaterSentence {
	readonly section: string;
	readonly says: string;
	readonly methods: readonly string[];
	readonly events: readonly string[];
}

function says(section: string, sentence: string, ...kept: readonly RequirementId[]): Sentence {
	return { section, says: sentence, kept };
}

/** All that the document promises and this version keeps, in the document's order. */
export const document: readonly Sentence[] = [
	says("Overview", "Requests are answered by responses that carry their id.", "response.id"),
	says("Overview", "Events are pushed while things happen.", "run.stream", "tool.call"),
	says("Overview", "Messages are text frames of one JSON object each.", "frame.text"),
	says("Endpoint", "The WebSocket is at `/api/ws`.", "http.websocket"),
	says(
		"Lifecycle",
		"Connect, open a session, interact, disconnect: nothing else is needed.",
		"connection.document-client",
	),
	says("Lifecycle", "Many connections at once are served.", "connection.many"),
	says("Lifecycle", "Several clients can be in one session.", "connection.shared"),
	says("Lifecycle", "A session is closed when its last client leaves.", "session.closed"),
	says("Keep-alive", "Clients need no pings of their own.", "connection.kept"),
	says(
		"Frame Format",
		"A frame has a type and the fields of its kind, and no others.",
		"frame.text",
		"event.form",
	),
	says(
		"Request",
		"A request has an id, a method and parameters; ids are unique on a connection.",
		"frame.duplicate-id",
	),
	says("Response", "A success is `ok: true` with a payload.", "response.success"),
	says("Response", "A failure is `ok: false` with an error in words.", "response.failure"),
	says("Event", "An event has its name, its session and its payload.", "event.form"),
	says("Event", "Events come without being asked for, and only of sessions that were joined.", "event.scope"),
	says("open_session", "Without an id it creates a session.", "session.create"),
	says("open_session", "With an id it resumes that session.", "session.resume"),
	says(
		"open_session",
		"`root_dir` is where tools work; the gateway's own directory where absent.",
		"session.root",
	),
	says(
		"open_session",
		"The answer names the session and says whether it was created or resumed.",
		"session.create",
		"session.resume",
	),
	says("open_session", "A session that is not there is refused as such.", "session.unknown"),
	says("send_message", "A message starts the model.", "run.stream", "run.message"),
	says("send_message", "`content` is required.", "run.blank", "frame.invalid-params"),
	says("send_message", "Without an open session one is created.", "session.implicit"),
	says("send_message", "The answer comes at once; the output comes as events.", "run.sent"),
	says("prompt_response", "It answers an open prompt by its token.", "prompt.form", "prompt.approve"),
	says(
		"prompt_response",
		"`value` is a string, a truth value or a list of strings, as the prompt asks.",
		"ask.text",
		"ask.multi",
		"prompt.approve",
	),
	says("prompt_response", "`cancelled: true` rejects.", "prompt.deny", "ask.cancel"),
	says("submit_task", "A task is submitted for the background.", "task.submit", "task.lives-on"),
	says(
		"submit_task",
		"`title` and `description` are required, `tools` and `priority` are not.",
		"task.submit",
		"task.validated",
	),
	says("submit_task", "Without `tools` it may use three.", "task.default-tools"),
	says("submit_task", "The answer has the task's id and `submitted`.", "task.submit"),
	says("check_task", "It tells where a task stands: id, title, status and progress.", "task.check"),
	says("cancel_task", "A task is cancelled, at work or waiting.", "task.cancel"),
	says("cancel_task", "The answer has the task's id and `cancelled`.", "task.cancel"),
	says("list_tasks", "The tasks of the connection's session are a list.", "task.list"),
	says("reply_task", "A suspended task hears what a person says.", "task.reply"),
	says("reply_task", "`status` is `approved` or `revise`, and needed; `feedback` is not.", "task.reply"),
	says("reply_task", "The answer has the task's id and `replied`.", "task.reply"),
	says("accept_all_tools", "It approves all calls of the session, without parameters.", "trust.accept"),
	says("assistant.stream", "`start` begins an output, `delta` adds to it, `end` finishes it.", "run.stream"),
	says("assistant.stream", "`index` tells parallel streams apart, and is usually 0.", "run.stream"),
	says("assistant.message", "The whole message comes after the stream has ended.", "run.message"),
	says("assistant.message", "`error` is set when the model call failed.", "run.message-failed"),
	says("tool.call", "A call is `started` with name and arguments.", "tool.call", "tool.arguments"),
	says(
		"tool.call",
		"It is `completed` with a result, or `failed` with an error.",
		"tool.call",
		"tool.paired",
	),
	says(
		"prompt.request",
		"Input is asked for with type, label, token, options and the other keys.",
		"prompt.form",
		"event.keys",
	),
	says("Prompt types", "`text` expects a string.", "ask.text"),
	says("Prompt types", "`select` expects one of the options.", "ask.select"),
	says("Prompt types", "`multi` expects some of the options.", "ask.multi"),
	says("Prompt types", "`confirm` expects a truth value.", "prompt.approve", "prompt.deny"),
	says("Prompt types", "`password` is masked and nobody else gets to see it.", "ask.password"),
	says("Option format", "An option has value, label, description and whether it is disabled.", "ask.options"),
	says("Option format", "A prompt is dismissed with its token and `cancelled: true`.", "ask.cancel"),
	says("Session Events", "`session.created` tells that a session is there.", "session.created"),
	says("Session Events", "`session.closed` tells that it was closed.", "session.closed"),
	says("Task Events", "Each has the id of its task.", "task.events"),
	says("task.created", "It tells title, description and parent.", "task.events"),
	says("task.started", "It tells the title.", "task.events"),
	says("task.progress", "It tells the steps, the one at work, and the percentage.", "task.progress"),
	says("task.completed", "It tells a summary, the duration and the tokens.", "task.events"),
	says("task.failed", "It tells the error, and whether the task is tried again.", "task.failed"),
	says("task.cancelled", "It tells the reason.", "task.cancel"),
	says("task.suspended", "It tells reason, plan, token and count, and waits for `reply_task`.", "task.reply"),
	says("task.resumed", "It tells the title once more.", "task.reply"),
	says("Skill Events", "The beginning and end of a skill and of its steps are told.", "skill.events"),
	says(
		"internal.llm.call",
		"Model calls are told at their start and end, with model, tokens and duration.",
		"model.call",
	),
	says(
		"Basic Conversation",
		"open, response, message, response, start, deltas, end, message: in that order.",
		"response.next",
		"response.before-events",
		"run.stream",
		"run.message",
	),
	says(
		"Conversation with Tool Call",
		"A call is started, asked for, answered, completed, then spoken about.",
		"tool.before-prompt",
		"prompt.approve-valueless",
		"tool.call",
	),
	says(
		"Async Task",
		"submitted, created, started, progress, suspended, replied, resumed, progress, completed: in that order.",
		"task.flow",
	),
	says("HTTP Endpoints", "`GET /api/health` says that all is well.", "http.health"),
	says("HTTP Endpoints", "`GET /api/ws` is the upgrade.", "http.websocket"),
	says(
		"HTTP Endpoints",
		"`GET /api/events` has the newest events, `limit` of them.",
		"http.events",
		"http.limit",
	),
	says("HTTP Endpoints", "`GET /api/sessions` lists the sessions.", "http.sessions"),
	says("HTTP Endpoints", "`GET /api/tasks` lists tasks, of one session where asked.", "http.tasks"),
	says(
		"Minimum Viable Connector",
		"Four things are enough: open, send, show the stream, answer prompts.",
		"connection.document-client",
	),
	says("Pseudocode Reference", "The sketched client works as it stands.", "connection.document-client"),
	says(
		"Notes for Specific Platforms",
		"The final message is enough for who does not show streams.",
		"run.message",
	),
];

/** What the document promises of schedules, which are not there yet. */
export const later: readonly LaterSentence[] = [
	{
		section: "Internal Events",
		says: "Schedules that are made, removed or due are told.",
		methods: ["schedule_task", "unschedule_task", "list_schedules"],
		events: ["schedule.trigger", "schedule.created", "schedule.removed"],
	},
];
