import { kontekst, type Requirement } from "../requirement.ts";

/** What the kontekst document, the rulings for it and its existing client need. */
export const kontekstRequirements = {
	"kontekst.order": kontekst(
		"AgentService.Run, kontekst 1",
		"A run sends `started`, then for each reply its deltas, `turn_completed` and `context_snapshot`, and `completed` last.",
	),
	"kontekst.tools": kontekst(
		"ToolsProposedEvent, kontekst 1",
		"All calls of a reply are proposed in one event, and run in the order of the model after all are decided.",
	),
	"kontekst.proposed": kontekst(
		"kontekst 2",
		"A call that the policy would allow waits for a decision, too.",
	),
	"kontekst.impossible": kontekst(
		"ToolsProposedEvent, kontekst 2; observed, 3",
		"A call that cannot run is proposed too (an unknown tool, invalid arguments, a denial by the policy), and fails if it is approved.",
	),
	"kontekst.long-arguments": kontekst(
		"observed, 12",
		"`arguments_json` is valid JSON, and stays below the size that clients accept.",
	),
	"kontekst.proposed-again": kontekst(
		"kontekst 2; security 2.5",
		"A command whose files another call of its reply changed is proposed again alone.",
	),
	"kontekst.denied": kontekst(
		"RunCancelledEvent, kontekst 3",
		"A denied call cancels the run after its approved siblings have run and `tools_completed` was sent.",
	),
	"kontekst.cancel": kontekst(
		"CancelRunCommand, kontekst 4",
		"A cancel ends a run while the model replies, and ends it with `cancelled`.",
	),
	"kontekst.cancel-asked": kontekst("kontekst 4", "A cancel ends a run whose calls wait for decisions."),
	"kontekst.cancel-tool": kontekst(
		"kontekst 4",
		"A cancel kills the processes of a running tool, and ends the run within 2 s.",
	),
	"kontekst.cancel-queued": kontekst(
		"kontekst 4",
		"A cancel ends a run that waits behind another run of its session within 2 s.",
	),
	"kontekst.half-close": kontekst(
		"kontekst 4",
		"After a half-close the run goes on, its events are delivered, and the stream ends with OK.",
	),
	"kontekst.half-close-asked": kontekst(
		"kontekst 4",
		"After a half-close the run is cancelled when it needs a decision.",
	),
	"kontekst.gone": kontekst(
		"kontekst 4",
		"If the stream breaks, the run is cancelled when it needs a decision.",
	),
	"kontekst.failed-start": kontekst(
		"kontekst 5",
		"A start that cannot be is a `failed` event without a run id, and the stream may start again.",
	),
	"kontekst.one-run": kontekst(
		"kontekst 5",
		"A second start is `failed` with `run already started` and disturbs nothing, also after the end of the run.",
	),
	"kontekst.unknown-session": kontekst(
		"kontekst 6",
		"An unknown session is created with the id that the client gave.",
	),
	"kontekst.agents": kontekst("kontekst 6", "An unknown agent fails with the names of those that there are."),
	"kontekst.project-notes": kontekst(
		"kontekst 10",
		"The `AGENTS.md` of the working directory is in each request to the model once.",
	),
	"kontekst.roots": kontekst(
		"rulings, runtime 8",
		"A working directory outside the roots is a `failed` event that names the directory and the roots.",
	),
	"kontekst.skills": kontekst(
		"SkillInvocation, kontekst 6 and 9",
		"A skill is invoked with its arguments instead of a prompt; an unknown one fails.",
	),
	"kontekst.workflow": kontekst(
		"SkillInvocation, kontekst 2 and 9",
		"The calls of the steps of a skill are proposed on the stream, and `completed` has the result of the skill.",
	),
	"kontekst.preview": kontekst(
		"ProposedToolCall, kontekst 7",
		"The preview of a call that writes is a unified diff.",
	),
	"kontekst.strays": kontekst(
		"kontekst 7",
		"Decisions about calls that are not open, empty commands, and decisions or a cancel before a start are ignored.",
	),
	"kontekst.snapshot": kontekst(
		"ContextSnapshot, kontekst 8",
		"The sums of a context snapshot hold exactly.",
	),
	"kontekst.status": kontekst(
		"DaemonService.GetStatus, kontekst 11",
		"GetStatus describes the gateway; the fields of the local model server are empty if none is configured.",
	),
	"kontekst.llama-status": kontekst(
		"GetStatusResponse, kontekst 11",
		"GetStatus names the endpoint and the directory of the local model server, and the process that the gateway started.",
	),
	"kontekst.llama-loading": kontekst(
		"GetStatusResponse, kontekst 11",
		"A server that loads its model runs and is not healthy, and a request waits until it has loaded.",
	),
	"kontekst.llama-messages": kontekst(
		"GetStatusResponse, kontekst 11",
		"Runs are answered by the Messages API of the configured local model server.",
	),
	"kontekst.llama-keys": kontekst(
		"GetStatusResponse, kontekst 11",
		"The process of the local model server gets no key or token of the gateway.",
	),
	"kontekst.llama-crash": kontekst(
		"GetStatusResponse, kontekst 11",
		"A server that ends is started again after a pause that grows, and the reason is shown.",
	),
	"kontekst.llama-stop": kontekst(
		"GetStatusResponse, kontekst 11",
		"The server ends with the gateway, at the latest 2.5 s after it was asked to.",
	),
	"kontekst.llama-killed": kontekst(
		"GetStatusResponse, kontekst 11",
		"A gateway that is killed leaves no server that keeps the address.",
	),
	"kontekst.llama-port": kontekst(
		"GetStatusResponse, kontekst 11",
		"An address that another program uses is reported, and no server is started.",
	),
	"kontekst.llama-bounded": kontekst(
		"GetStatusResponse, kontekst 11",
		"GetStatus answers within 2 s if the server does not answer.",
	),
	"kontekst.llama-found": kontekst(
		"GetStatusResponse, kontekst 11",
		"A server that already serves at the address is used; it is healthy, and not said to be of the gateway.",
	),
	"kontekst.llama-idle": kontekst(
		"GetStatusResponse, kontekst 11",
		"Without `autostart`, the server starts with the first request.",
	),
	"kontekst.llama-command": kontekst(
		"GetStatusResponse, kontekst 11",
		"A program that does not exist is refused with its name and advice.",
	),
	"kontekst.llama-tokens": kontekst(
		"ContextSnapshot, kontekst 8 and 11",
		"The parts of a snapshot are counted by the tokenizer of the local model server; its sums hold also when it does not answer.",
	),
	"kontekst.shutdown": kontekst(
		"DaemonService.Shutdown, kontekst 11",
		"Shutdown answers, then asks the gateway to stop.",
	),
	"kontekst.seen": kontekst(
		"rulings, introduction",
		"Clients of the WebSocket see the run live, and may answer its approvals.",
	),
	"kontekst.wait": kontekst(
		"rulings, runtime 2",
		"A run on a session that is busy elsewhere waits for its turn.",
	),
	"kontekst.token": kontekst(
		"rulings, One port; security 2.2",
		"Methods need the token of the HTTP API as metadata, and the rights of its principal hold.",
	),
	"kontekst.revoked": kontekst(
		"security 2.2",
		"A stream ends with UNAUTHENTICATED when its token is revoked, and its run is cancelled when it needs a decision.",
	),
	"kontekst.revoked-unread": kontekst(
		"security 2.2",
		"A client that does not read its status loses its connection 5 s after its token is revoked.",
	),
	"kontekst.stops": kontekst(
		"kontekst 11",
		"A gateway that stops ends its streams with UNAVAILABLE, and keeps runs that wait for a decision.",
	),
	"kontekst.header-list": kontekst(
		"security 2.10",
		"A call whose header list is larger than 16 KiB is refused with RESOURCE_EXHAUSTED.",
	),
	"kontekst.message-size": kontekst(
		"security 6, ruling 14",
		"A message of 12 MiB is read; a larger one ends its call with RESOURCE_EXHAUSTED.",
	),
	"kontekst.streams": kontekst(
		"security 6, ruling 14",
		"A connection has 256 streams; one more is refused and disturbs none of them.",
	),
	"kontekst.dead-client": kontekst(
		"security 2.10",
		"A client that answers no keepalive for 10 s loses its connection, and its run is cancelled when it needs a decision.",
	),
	"kontekst.keepalive": kontekst(
		"security 2.10",
		"A client that answers each keepalive keeps its streams; a connection without calls ends after 10 minutes.",
	),
	"kontekst.pings": kontekst(
		"security 6, ruling 14",
		"A client that sends pings without end loses its own connection at most, and other clients are served.",
	),
	"kontekst.deadline": kontekst(
		"kontekst 4",
		"A call ends at the deadline that its client gave, and its run is cancelled when it needs a decision.",
	),
	"kontekst.health": kontekst("rulings, One port", "The health service answers without credentials."),
	"kontekst.reflection": kontekst(
		"rulings, One port",
		"Reflection (v1 and v1alpha) lists all services, and what it returns is enough to call them.",
	),
} as const satisfies Record<string, Requirement>;
