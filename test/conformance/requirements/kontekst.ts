import { kontekst, type Requirement } from "../requirement.ts";

export const kontekstRequirements = {
	"kontekst.order": kontekst(
		"AgentService.Run, kontekst 1",
		"A run sends `started`, then for each reply its deltas, `turn_completed` and `context_snapshot`, and `completed` last.",
	),
	"kontekst.tools": kontekst(
		"ToolsProposedEvent, kontekst 1",
		"All calls of a reply are proposed in one event, and run in the order of the model after all are decided.",
	),
	"kontekst.proposed": kontekst("kontekst 2", "A call that policy would allow also waits for a decision."),
	"kontekst.impossible": kontekst(
		"ToolsProposedEvent, kontekst 2; observed, 3",
		"A call that cannot run (unknown tool, invalid arguments, denied by policy) is proposed too, and fails if it is approved.",
	),
	"kontekst.long-arguments": kontekst(
		"observed, 12",
		"`arguments_json` is valid JSON and smaller than the limit of clients.",
	),
	"kontekst.proposed-again": kontekst(
		"kontekst 2; security 2.5",
		"A command whose files were changed by another call of its reply is proposed again alone.",
	),
	"kontekst.denied": kontekst(
		"RunCancelledEvent, kontekst 3",
		"A denied call cancels the run after its approved siblings have run and `tools_completed` was sent.",
	),
	"kontekst.cancel": kontekst(
		"CancelRunCommand, kontekst 4",
		"A cancel during a reply ends the run with `cancelled`.",
	),
	"kontekst.cancel-waiting": kontekst("kontekst 4", "A cancel ends a run whose calls wait for decisions."),
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
		"After a half-close the run continues, its events are delivered, and the stream ends with OK.",
	),
	"kontekst.half-close-waiting": kontekst(
		"kontekst 4",
		"After a half-close the run is cancelled if it needs a decision.",
	),
	"kontekst.gone": kontekst(
		"kontekst 4",
		"If the stream breaks, the run is cancelled if it needs a decision.",
	),
	"kontekst.failed-start": kontekst(
		"kontekst 5",
		"A start that is not possible is a `failed` event without a run id, and the stream can start again.",
	),
	"kontekst.one-run": kontekst(
		"kontekst 5",
		"A second start is `failed` with `run already started` and has no effect, also after the end of the run.",
	),
	"kontekst.unknown-session": kontekst(
		"kontekst 6",
		"An unknown session is created with the id of the client.",
	),
	"kontekst.agents": kontekst("kontekst 6", "An unknown agent fails with the names of the existing agents."),
	"kontekst.project-notes": kontekst(
		"kontekst 10",
		"Each model request contains the `AGENTS.md` of the working directory, and of its parents in the roots, once.",
	),
	"kontekst.roots": kontekst(
		"rulings, runtime 8",
		"A working directory outside the roots is a `failed` event that names the directory and the roots.",
	),
	"kontekst.skills": kontekst(
		"SkillInvocation, kontekst 6 and 9",
		"A skill is invoked with its arguments instead of a prompt. An unknown skill fails.",
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
		"Decisions about calls that are not open, empty commands, and decisions or a cancel before a start have no effect.",
	),
	"kontekst.snapshot": kontekst("ContextSnapshot, kontekst 8", "The sums of a context snapshot are exact."),
	"kontekst.status": kontekst(
		"DaemonService.GetStatus, kontekst 11",
		"GetStatus describes the gateway. The fields of the local model server are empty if none is configured.",
	),
	"kontekst.llama-status": kontekst(
		"GetStatusResponse, kontekst 11",
		"GetStatus names the endpoint and the directory of the local model server, and the process that the gateway started.",
	),
	"kontekst.llama-loading": kontekst(
		"GetStatusResponse, kontekst 11",
		"A server that is loading its model is running and not healthy. A request waits until it is loaded.",
	),
	"kontekst.llama-messages": kontekst(
		"GetStatusResponse, kontekst 11",
		"The Messages API of the configured local model server answers the runs.",
	),
	"kontekst.llama-keys": kontekst(
		"GetStatusResponse, kontekst 11",
		"The process of the local model server receives no key or token of the gateway.",
	),
	"kontekst.llama-crash": kontekst(
		"GetStatusResponse, kontekst 11",
		"A server that ends is restarted after a growing pause, and the reason is reported.",
	),
	"kontekst.llama-stop": kontekst(
		"GetStatusResponse, kontekst 11",
		"The server ends with the gateway, at most 2.5 s after the request to stop.",
	),
	"kontekst.llama-killed": kontekst(
		"GetStatusResponse, kontekst 11",
		"After the gateway is killed, no server keeps the address.",
	),
	"kontekst.llama-port": kontekst(
		"GetStatusResponse, kontekst 11",
		"An address in use by another program is reported, and no server is started.",
	),
	"kontekst.llama-bounded": kontekst(
		"GetStatusResponse, kontekst 11",
		"GetStatus answers within 2 s if the server does not answer.",
	),
	"kontekst.llama-found": kontekst(
		"GetStatusResponse, kontekst 11",
		"A server that already serves at the address is used. It is healthy and is not reported as the gateway's.",
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
		"The tokenizer of the local model server counts the parts of a snapshot. The sums are exact also if it does not answer.",
	),
	"kontekst.shutdown": kontekst(
		"DaemonService.Shutdown, kontekst 11",
		"Shutdown responds, then stops the gateway.",
	),
	"kontekst.seen": kontekst(
		"rulings, introduction",
		"WebSocket clients see the run live and can answer its approvals.",
	),
	"kontekst.wait": kontekst(
		"rulings, runtime 2",
		"A run on a session that is busy elsewhere waits for its turn.",
	),
	"kontekst.token": kontekst(
		"rulings, One port; security 2.2",
		"Methods require the token of the HTTP API as metadata and apply the rights of its principal.",
	),
	"kontekst.revoked": kontekst(
		"security 2.2",
		"A stream ends with UNAUTHENTICATED when its token is revoked, and its run is cancelled if it needs a decision.",
	),
	"kontekst.revoked-unread": kontekst(
		"security 2.2",
		"A client that does not read its status loses its connection 5 s after its token is revoked.",
	),
	"kontekst.stops": kontekst(
		"kontekst 11",
		"A gateway that stops ends its streams with UNAVAILABLE and keeps runs that wait for a decision.",
	),
	"kontekst.header-list": kontekst(
		"security 2.10",
		"A call whose header list is larger than 16 KiB is refused with RESOURCE_EXHAUSTED.",
	),
	"kontekst.message-size": kontekst(
		"security 6, ruling 14",
		"A message of 12 MiB is accepted. A larger one ends its call with RESOURCE_EXHAUSTED.",
	),
	"kontekst.streams": kontekst(
		"security 6, ruling 14",
		"A connection has at most 256 streams. One more is refused and does not disturb the others.",
	),
	"kontekst.dead-client": kontekst(
		"security 2.10",
		"A client that does not answer keepalives for 10 s loses its connection, and its run is cancelled if it needs a decision.",
	),
	"kontekst.keepalive": kontekst(
		"security 2.10",
		"A client that answers each keepalive keeps its streams. A connection without calls ends after 10 minutes.",
	),
	"kontekst.pings": kontekst(
		"security 6, ruling 14",
		"A flood of pings closes at most its own connection, and other clients are served.",
	),
	"kontekst.deadline": kontekst(
		"kontekst 4",
		"A call ends at the deadline of its client, and its run is cancelled if it needs a decision.",
	),
	"kontekst.health": kontekst("rulings, One port", "The health service answers without credentials."),
	"kontekst.reflection": kontekst(
		"rulings, One port",
		"Reflection (v1 and v1alpha) lists all services, and its responses are sufficient to call them.",
	),
} as const satisfies Record<string, Requirement>;
