import { ParleyError } from "@parley/base";
import type { Principal, PrincipalKind } from "./principal.ts";

/** Everything anybody can do, on every wire. A method that maps to no action does not compile. */
export type Action =
	| "session.list"
	| "session.read"
	| "session.open"
	| "session.write"
	| "session.delete"
	| "file.write"
	| "file.read"
	| "prompt.answer"
	| "prompt.deny"
	| "trust.accept_all"
	| "event.read"
	| "task.read"
	| "usage.read"
	| "budget.set"
	| "agents.read"
	| "model.read"
	| "health.read"
	| "metrics.read"
	| "gateway.control";

/** What is acted on: a session with its owner, or the gateway itself. */
export interface ActionObject {
	readonly owner?: string;
}

type Rule = "any" | "own" | "none";

const rules: Record<PrincipalKind, Record<Action, Rule>> = {
	operator: {
		"session.list": "any",
		"session.read": "any",
		"session.open": "any",
		"session.write": "any",
		"session.delete": "any",
		"file.write": "any",
		"file.read": "any",
		"prompt.answer": "any",
		"prompt.deny": "any",
		"trust.accept_all": "any",
		"event.read": "any",
		"task.read": "any",
		"usage.read": "any",
		"budget.set": "any",
		"agents.read": "any",
		"model.read": "any",
		"health.read": "any",
		"metrics.read": "any",
		"gateway.control": "any",
	},
	observer: {
		"session.list": "own",
		"session.read": "own",
		"session.open": "none",
		"session.write": "none",
		"session.delete": "none",
		"file.write": "none",
		"file.read": "own",
		"prompt.answer": "none",
		"prompt.deny": "none",
		"trust.accept_all": "none",
		"event.read": "own",
		"task.read": "own",
		"usage.read": "own",
		"budget.set": "none",
		"agents.read": "any",
		"model.read": "any",
		"health.read": "any",
		"metrics.read": "none",
		"gateway.control": "none",
	},
	connector: {
		"session.list": "own",
		"session.read": "own",
		"session.open": "own",
		"session.write": "own",
		"session.delete": "own",
		"file.write": "own",
		"file.read": "own",
		"prompt.answer": "own",
		"prompt.deny": "own",
		"trust.accept_all": "none",
		"event.read": "own",
		"task.read": "own",
		"usage.read": "own",
		"budget.set": "none",
		"agents.read": "any",
		"model.read": "any",
		"health.read": "any",
		"metrics.read": "none",
		"gateway.control": "none",
	},
	agent: {
		"session.list": "none",
		"session.read": "none",
		"session.open": "none",
		"session.write": "none",
		"session.delete": "none",
		"file.write": "none",
		"file.read": "none",
		"prompt.answer": "none",
		"prompt.deny": "none",
		"trust.accept_all": "none",
		"event.read": "none",
		"task.read": "none",
		"usage.read": "none",
		"budget.set": "none",
		"agents.read": "none",
		"model.read": "none",
		"health.read": "none",
		"metrics.read": "none",
		"gateway.control": "none",
	},
};

/** Whether `principal` may do `action` on `object`. Without an owner the object is the principal's own. */
export function isAuthorized(principal: Principal, action: Action, object: ActionObject = {}): boolean {
	const rule = rules[principal.kind][action];
	if (rule === "any") return true;
	return rule === "own" && (object.owner === undefined || object.owner === principal.id);
}

/** Passes, or throws `permission_denied`. Every method of every wire goes through here. */
export function authorize(principal: Principal, action: Action, object: ActionObject = {}): void {
	if (isAuthorized(principal, action, object)) return;
	throw new ParleyError(`${principal.kind} may not ${action}`, { code: "permission_denied" });
}
