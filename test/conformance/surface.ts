import type { ZotCommandType, ZotNoticeType } from "@parley/gateway/rpc";
import type { EventName, MethodName } from "@parley/protocol";
import type { RequirementId } from "./requirements.ts";

/**
 * The requirement that a method, a command or an event is tested by. A file with a scenario for it names the method or event.
 * A name without an entry fails to compile, or fails `surface.test.ts` if the names are in a `.proto` file.
 */
type Table<Name extends string> = Readonly<Record<Name, RequirementId>>;

/** Methods of the Ozzie protocol. */
export const ozzieMethods: Table<MethodName> = {
	open_session: "session.create",
	send_message: "run.accepted",
	steer: "run.steer",
	retry: "run.retry",
	set_model: "model.set",
	prompt_response: "prompt.first",
	accept_all_tools: "grant.accept",
	cancel_turn: "run.cancel",
	list_sessions: "session.list",
	load_messages: "session.messages",
	resume: "session.resume-many",
	usage: "usage.report",
	set_budget: "budget.set",
	list_agents: "agent.list",
	list_models: "model.list",
	store_memory: "memory.store",
	query_memories: "memory.query",
	list_memories: "memory.query",
	forget_memory: "memory.forget",
	schedule_task: "schedule.create",
	list_schedules: "schedule.own",
	unschedule_task: "schedule.own",
	list_skills: "skill.trust",
	show_skill: "skill.trust",
	trust_skills: "skill.trust",
	untrust_skills: "skill.trust",
	list_prompts: "prompt.list",
	secret_page: "ask.page",
	rename_session: "list.rename",
	delete_session: "list.delete",
	feedback: "feedback.stored",
	list_feedback: "feedback.listed",
	explain: "explain.run",
	submit_task: "task.submit",
	check_task: "task.check",
	cancel_task: "task.cancel",
	list_tasks: "task.list",
	query_tasks: "task.query",
	reply_task: "task.reply",
	retry_task: "task.retry",
	create_token: "token.once",
	list_tokens: "token.rights",
	rotate_token: "token.rotate",
	revoke_token: "token.end",
	pair: "people.pair",
	whoami: "people.whoami",
	list_people: "people.manage",
	invite_person: "people.pair",
	approve_person: "people.ask",
	withdraw_pairing: "people.withdraw",
	report_person: "schedule.confirmed",
	set_person_role: "people.manage",
	remove_person: "people.manage",
	list_places: "channel.profile",
	set_place: "channel.profile",
	remove_place: "channel.profile",
	test_policy: "policy.test",
	show_policy: "policy.test",
	request_grant: "grant.request",
	list_grants: "grant.requests",
	revoke_grant: "grant.revoke",
	read_audit: "audit.pages",
	verify_audit: "audit.verify",
};

/** Events of the Ozzie protocol. */
export const ozzieEvents: Table<EventName> = {
	"session.created": "session.created",
	"session.closed": "session.closed",
	"user.message": "run.accepted",
	"assistant.stream": "run.accepted",
	"assistant.message": "run.ends",
	"internal.llm.call": "model.call",
	"assistant.started": "run.reply-started",
	"assistant.thinking": "run.thinking",
	"tool.arguments": "run.arguments",
	"run.retrying": "run.retrying",
	"usage.updated": "usage.updated",
	"budget.reached": "budget.reached",
	"context.compacted": "model.compacted",
	"skill.started": "skill.events",
	"skill.step.started": "skill.steps",
	"skill.step.completed": "skill.steps",
	"skill.completed": "skill.events",
	"schedule.created": "schedule.create",
	"schedule.trigger": "schedule.fire",
	"schedule.removed": "schedule.own",
	"task.created": "task.flow",
	"task.started": "task.flow",
	"task.progress": "task.progress",
	"todo.updated": "run.todo",
	"task.suspended": "task.reply",
	"task.resumed": "task.reply",
	"task.completed": "task.flow",
	"task.failed": "task.failed",
	"task.cancelled": "task.cancel",
	"internal.worker": "task.workers",
	"tool.call": "tool.call",
	"prompt.request": "prompt.first",
	"prompt.response": "prompt.reported",
	"prompt.closed": "prompt.closed",
	"prompt.reminder": "prompt.reminder",
	"file.created": "file.created",
	"session.renamed": "list.rename",
	"grant.created": "grant.operator",
	"grant.ended": "grant.revoke",
	"session.deleted": "list.delete",
};

/** Commands of the zot protocol. */
export const zotCommands: Table<ZotCommandType> = {
	hello: "zot.hello",
	prompt: "zot.prompt",
	abort: "zot.abort",
	compact: "zot.compact",
	get_state: "zot.state",
	get_messages: "zot.messages",
	clear: "zot.clear",
	set_model: "zot.set-model",
	set_reasoning: "zot.set-reasoning",
	get_models: "zot.models",
	ping: "zot.ping",
	queue: "zot.queue",
	cancel_queued: "zot.cancel-queued",
	approve: "zot.approve",
};

/** Events of the zot protocol. */
export const zotEvents: Table<ZotNoticeType> = {
	turn_start: "zot.turn-start",
	user_message: "zot.user-message",
	assistant_start: "zot.assistant-start",
	thinking_delta: "zot.thinking",
	text_delta: "zot.text-delta",
	tool_use_start: "zot.tool-use",
	tool_use_args: "zot.tool-use",
	tool_use_end: "zot.tool-use",
	tool_call: "zot.tool-call",
	tool_progress: "zot.tool-progress",
	tool_result: "zot.tool-result",
	assistant_message: "zot.assistant-message",
	usage: "zot.usage",
	turn_end: "zot.turn-end",
	done: "zot.order",
	error: "zot.error",
	compact_done: "zot.compact-done",
	ask: "zot.approve",
};

/** Commands of `kontekst.AgentService/Run`. */
export const kontekstCommands: Table<string> = {
	start: "kontekst.order",
	approveTool: "kontekst.tools",
	denyTool: "kontekst.denied",
	cancel: "kontekst.cancel",
};

/** Events of `kontekst.AgentService/Run`. */
export const kontekstEvents: Table<string> = {
	started: "kontekst.order",
	token: "kontekst.order",
	reasoning: "kontekst.order",
	turnCompleted: "kontekst.order",
	toolsProposed: "kontekst.proposed",
	toolStarted: "kontekst.tools",
	toolCompleted: "kontekst.tools",
	toolFailed: "kontekst.impossible",
	toolsCompleted: "kontekst.tools",
	completed: "kontekst.order",
	cancelled: "kontekst.cancel",
	failed: "kontekst.failed-start",
	contextSnapshot: "kontekst.snapshot",
};

/** Requests of `roz.v1.AgentService/StreamSession`. */
export const rozRequests: Table<string> = {
	start: "roz.order",
	userMessage: "roz.order",
	toolResult: "roz.tools",
	cancelTurn: "roz.cancel",
	cancelSession: "roz.cancel-session",
	ping: "roz.ping",
	feedback: "roz.feedback",
	permissionDecision: "roz.approval",
	registerTools: "roz.register",
};

/** Responses of `roz.v1.AgentService/StreamSession`. */
export const rozResponses: Table<string> = {
	sessionStarted: "roz.order",
	textDelta: "roz.order",
	thinkingDelta: "roz.order",
	toolRequest: "roz.tools",
	turnComplete: "roz.order",
	error: "roz.codes",
	keepalive: "roz.keepalive",
	pong: "roz.ping",
	contextCompacted: "roz.compacted",
	presenceHint: "roz.order",
	activityUpdate: "roz.states",
};

/** Events of `roz.v1.AgentService/WatchTeam`. */
export const rozTeamEvents: Table<string> = {
	workerStarted: "roz.team",
	workerPhase: "roz.ooda-workers",
	workerToolCall: "roz.team",
	workerCompleted: "roz.team",
	workerFailed: "roz.team",
	workerExited: "roz.team",
};
