import { type Action, authorize, isAuthorized, type Principal } from "@parley/core";
import type { MethodName } from "@parley/protocol";
import { catalogueMethods } from "./catalogue.ts";
import { changeMethods } from "./changes.ts";
import { commandMethods } from "./commands.ts";
import { memoryMethods } from "./memories.ts";
import { peopleMethods, placeMethods, tokenMethods } from "./people.ts";
import { auditMethods, grantMethods, policyMethods } from "./policy.ts";
import { promptMethods } from "./prompts.ts";
import type { HandlerContext, MethodsOf, PrincipalRequest } from "./request.ts";
import { scheduleMethods } from "./schedules.ts";
import { sessionMethods } from "./sessions.ts";
import { skillMethods } from "./skills.ts";
import { taskMethods } from "./tasks.ts";
import { usageMethods } from "./usage.ts";

/** Handlers by method. A method without a handler fails to compile. */
const handlers: MethodsOf<MethodName> = {
	...sessionMethods,
	...commandMethods,
	...changeMethods,
	...promptMethods,
	...taskMethods,
	...usageMethods,
	...memoryMethods,
	...scheduleMethods,
	...skillMethods,
	...catalogueMethods,
	...peopleMethods,
	...placeMethods,
	...tokenMethods,
	...policyMethods,
	...grantMethods,
	...auditMethods,
};

/** Executes a request. Returns the payload of the response. Rejects with the error of the request. */
export async function answerRequest(connection: HandlerContext, request: PrincipalRequest): Promise<unknown> {
	authorizeMethod(request.principal, request.method);
	// The cast is safe because the handler is looked up by the method of the request.
	const handler = handlers[request.method] as (
		connection: HandlerContext,
		request: PrincipalRequest,
	) => Promise<unknown>;
	return handler(connection, request);
}

/**
 * Required actions by method. A principal that may do one of the actions may call the method, and the runtime then
 * checks the action that applies. A method without an action fails to compile.
 */
const methodActions: Readonly<Record<MethodName, Action | readonly [Action, ...Action[]]>> = {
	open_session: ["session.open", "session.read"],
	send_message: "session.write",
	run_command: "command.run",
	file_changes: "changes.read",
	undo_changes: "changes.undo",
	steer: "session.write",
	join_turn: "session.write",
	retry: "session.write",
	set_model: "session.configure",
	list_prompts: "prompt.read",
	// A principal that may answer the prompt may request the page.
	secret_page: ["prompt.deny", "prompt.answer"],
	prompt_response: ["prompt.deny", "prompt.answer", "prompt.approve", "prompt.approve_critical"],
	allow_always: "policy.extend",
	// A connector also needs a trust grant for the channel.
	accept_all_tools: ["trust.accept_all", "session.write"],
	cancel_turn: "session.write",
	list_commands: "session.read",
	stop_command: "session.write",
	list_sessions: "session.list",
	load_messages: "session.read",
	resume: "session.read",
	store_memory: ["memory.write", "memory.write_everyone"],
	query_memories: "memory.read",
	list_memories: "memory.read",
	// `memory.forget_channel` applies to all notes of a channel.
	forget_memory: ["memory.forget", "memory.forget_channel"],
	schedule_task: "schedule.create",
	list_schedules: "schedule.read",
	unschedule_task: "schedule.remove",
	list_skills: "skill.read",
	show_skill: "skill.read",
	trust_skills: "skill.trust",
	untrust_skills: "skill.trust",
	usage: "usage.read",
	set_budget: "budget.set",
	list_agents: "agents.read",
	list_models: "model.read",
	rename_session: "session.configure",
	fork_session: "session.fork",
	compact_session: "session.configure",
	delete_session: "session.delete",
	feedback: "session.write",
	list_feedback: "feedback.read",
	explain: "session.read",
	submit_task: "task.submit",
	check_task: "task.read",
	cancel_task: "task.control",
	list_tasks: "task.read",
	query_tasks: "task.read",
	reply_task: "task.control",
	retry_task: "task.submit",
	create_token: "token.manage",
	list_tokens: "token.manage",
	rotate_token: "token.manage",
	revoke_token: "token.manage",
	pair: "person.pair",
	whoami: "person.self",
	list_people: "person.read",
	invite_person: "person.manage",
	approve_person: "person.manage",
	withdraw_pairing: "person.manage",
	report_person: "person.report",
	set_person_role: "person.manage",
	remove_person: "person.manage",
	list_places: "place.read",
	set_place: "place.manage",
	remove_place: "place.manage",
	test_policy: "policy.read",
	show_policy: "policy.read",
	request_grant: "grant.request",
	list_grants: "grant.read",
	revoke_grant: "grant.revoke",
	read_audit: "audit.read",
	verify_audit: "audit.read",
};

export function actionsOf(method: MethodName): readonly [Action, ...Action[]] {
	const named = methodActions[method];
	return typeof named === "string" ? [named] : named;
}

/** Throws `permission_denied` if the principal may do none of the method's actions, not even on its own objects. */
function authorizeMethod(principal: Principal, method: MethodName): void {
	const named = actionsOf(method);
	if (!named.some((action) => isAuthorized(principal, action))) authorize(principal, named[0]);
}
