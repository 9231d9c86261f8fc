import { ParleyError } from "@parley/base";
import {
	hasRole,
	type Person,
	type Principal,
	type PrincipalKind,
	placeKey,
	type Role,
} from "./principal.ts";
import { belongsElsewhere, onlyOthersCan, onlyTheOperatorCan, rightTexts } from "./texts.ts";

/** Objects for which a kind of principal has a permission. `isOwn` defines `own`. */
type Rule = "any" | "own" | "none";

interface Rules extends Record<Exclude<PrincipalKind, "agent">, Rule> {
	/**
	 * Lowest role that allows the action to a person for whom a connector acts. Absent if the role of the person does not
	 * matter.
	 */
	readonly role?: Role;
	/** Whether a connector may do the action without a person. A person still needs `role`. */
	readonly alone?: true;
}

const readers = { operator: "any", observer: "own", connector: "own", role: "guest", alone: true } as const;

const anyPrincipal = { operator: "any", observer: "any", connector: "any" } as const;

const viewers = { ...anyPrincipal, role: "guest", alone: true } as const;

const operatorOnly = { operator: "any", observer: "none", connector: "none" } as const;

const chatActions = { operator: "any", observer: "none", connector: "own" } as const;

const rules = {
	"session.list": readers,
	"session.read": readers,
	"session.open": { ...chatActions, role: "guest" },
	"session.write": { ...chatActions, role: "guest" },
	"session.fork": { ...chatActions, role: "member" },
	/** Changes the settings or the title of a session, or compacts its context. */
	"session.configure": { ...chatActions, role: "member" },
	/** Runs a shell command in a session without a model call. */
	"command.run": operatorOnly,
	/** Reads the file changes of a turn. */
	"changes.read": operatorOnly,
	"changes.undo": operatorOnly,
	/** Registers tools that a client runs for a session. */
	"client_tools.register": operatorOnly,
	"session.delete": { ...chatActions, role: "approver" },
	"file.write": { ...chatActions, role: "guest", alone: true },
	"file.read": readers,
	/** Reads open questions and approvals. */
	"prompt.read": readers,
	/** Answers a question. A chat user must be the requester of the work or an approver. */
	"prompt.answer": { ...chatActions, role: "guest" },
	"prompt.approve": { ...chatActions, role: "approver" },
	/** Approves a tool call that always requires approval. Never allowed through a chat platform. */
	"prompt.approve_critical": operatorOnly,
	/** Denies a tool call, or dismisses a question. */
	"prompt.deny": { ...chatActions, role: "guest" },
	"trust.accept_all": operatorOnly,
	"event.read": readers,
	"task.read": readers,
	"task.submit": { ...chatActions, role: "member" },
	/** Cancels a task, or answers its review. */
	"task.control": { ...chatActions, role: "member" },
	"memory.read": { operator: "any", observer: "none", connector: "own", role: "guest" },
	/** Stores a note with the scope `user` or `channel`. */
	"memory.write": { ...chatActions, role: "member" },
	"memory.write_everyone": operatorOnly,
	/** Deletes notes. `Memories.forget` also checks the author and the scope of each note. */
	"memory.forget": { ...chatActions, role: "guest" },
	/** Deletes the notes of a channel. A connector does this when the channel is deleted on the platform. */
	"memory.forget_channel": { ...anyPrincipal, observer: "none", role: "approver", alone: true },
	"schedule.read": { operator: "any", observer: "none", connector: "own", role: "guest" },
	/** Creates a schedule. At each firing, the owner of the schedule must still have this permission. */
	"schedule.create": { ...chatActions, role: "member" },
	/** Deletes a schedule. `Schedules.remove` also checks the owner of the schedule. */
	"schedule.remove": { ...chatActions, role: "guest" },
	"usage.read": readers,
	"budget.set": operatorOnly,
	/** Reads feedback about replies in all sessions. */
	"feedback.read": operatorOnly,
	"agents.read": viewers,
	"skill.read": viewers,
	/**
	 * Trusts the skills of a working directory, ends this trust, or reads the skills of a directory that the request names
	 * without a session.
	 */
	"skill.trust": operatorOnly,
	"model.read": viewers,
	"health.read": anyPrincipal,
	"metrics.read": operatorOnly,
	"gateway.control": operatorOnly,
	"token.manage": operatorOnly,
	/** Creates a ticket with the permissions of the caller. */
	"ticket.create": anyPrincipal,
	/** Requests access, or redeems a pairing code. */
	"person.pair": { ...chatActions, operator: "none", role: "stranger" },
	/** Reads the identity and permissions of the caller. */
	"person.self": anyPrincipal,
	/** Reports the state of a chat user in response to a check by the gateway. */
	"person.report": { operator: "none", observer: "none", connector: "any" },
	"person.read": operatorOnly,
	"person.manage": operatorOnly,
	"place.read": operatorOnly,
	"place.manage": operatorOnly,
	"policy.read": operatorOnly,
	/** Adds a rule to the operator's rules as the answer to an approval. */
	"policy.extend": operatorOnly,
	"grant.request": { ...chatActions, role: "member" },
	/** Lets the tool calls of a channel run without approval for a limited time. */
	"grant.confirm": { ...chatActions, role: "owner" },
	"grant.read": readers,
	/** Ends a trust grant. A connector may do this without a person, because the end of a grant only reduces permissions. */
	"grant.revoke": { ...chatActions, role: "member", alone: true },
	"audit.read": operatorOnly,
} as const satisfies Record<string, Rules>;

export type Action = keyof typeof rules;

// The cast is safe because `rules` has no other keys.
export const actions = Object.keys(rules) as readonly Action[];

/** Properties of the object of an action. These properties help to determine whether the action is allowed. */
export interface ActionObject {
	/** Owner of the object. Default: the principal itself. */
	readonly owner?: string;
	readonly sessionId?: string;
	/**
	 * Key of the object's channel, from `placeKey`. A person may use an object with a `place` or a `sessionId`
	 * only if `place` is the channel in which the person writes.
	 */
	readonly place?: string | undefined;
	/** Id of the person who requested the work to which a question belongs. */
	readonly requester?: string | undefined;
}

export function isAuthorized(principal: Principal, action: Action, object: ActionObject = {}): boolean {
	return refusal(principal, action, object) === undefined;
}

/** Throws `permission_denied`, with the reason, unless the principal may do the action. */
export function authorize(principal: Principal, action: Action, object: ActionObject = {}): void {
	const reason = refusal(principal, action, object);
	if (reason !== undefined) throw new ParleyError(reason, { code: "permission_denied" });
}

function refusal(principal: Principal, action: Action, object: ActionObject): string | undefined {
	const { kind, person } = principal;
	const refused = rightTexts.mayNot(kind, action);
	// The model has no permissions on the gateway.
	if (kind === "agent") return refused;
	const rule: Rules = rules[action];
	if (principal.through && !mayThrough(principal.through, action, rule)) {
		return rightTexts.onlyPerson(throughWords[principal.through], action);
	}
	if (rule[kind] === "none") return person ? onlyTheOperatorCan(action) : `${refused}: ${allowedTo(rule)}`;
	if (rule[kind] === "own" && !isOwn(principal, object))
		return person ? belongsElsewhere : rightTexts.notOwn(refused, othersMay[kind]);
	if (kind !== "connector") return undefined;
	if (person) return refusalOfPlace(person, object) ?? refusalOfPerson(person, action, object);
	return rule.role === undefined || rule.alone ? undefined : rightTexts.noPerson;
}

const throughWords = { agent: rightTexts.agent, form: rightTexts.clientForm } as const;

/**
 * Whether an agent or its form may do the action. An agent may not approve tool calls. Neither an agent nor
 * its form may confirm a trust grant, or do an action that is reserved for the operator.
 */
function mayThrough(
	through: NonNullable<Principal["through"]>,
	action: Action,
	{ observer, connector }: Rules,
): boolean {
	if (action === "prompt.approve") return through === "form";
	if (action === "grant.confirm") return false;
	return observer !== "none" || connector !== "none";
}

function allowedTo(rule: Rules): string {
	if (rule.operator === "none") return rightTexts.onlyConnector;
	const operatorOnly = rule.connector === "none";
	const way = rightTexts.createToken;
	return operatorOnly ? rightTexts.onlyOperator(way) : rightTexts.observer(way);
}

const othersMay: Readonly<Record<Exclude<PrincipalKind, "agent">, string>> = {
	operator: rightTexts.onlyOwner,
	observer: rightTexts.sessionsOfToken,
	connector: rightTexts.ownerOrOperator,
};

/**
 * Returns the refusal for an object that belongs to another channel, or to a session without a channel. Otherwise,
 * returns undefined.
 */
function refusalOfPlace(person: Person, { place, sessionId }: ActionObject): string | undefined {
	if (place === undefined && sessionId === undefined) return undefined;
	return place === placeKey(person.place) ? undefined : belongsElsewhere;
}

function isOwn({ id, kind, sessions }: Principal, { owner, sessionId }: ActionObject): boolean {
	if (owner === undefined || owner === id) return true;
	if (kind !== "observer" || sessions === undefined) return false;
	return sessions === "all" || (sessionId !== undefined && sessions.includes(sessionId));
}

function refusalOfPerson(person: Person, action: Action, { requester }: ActionObject): string | undefined {
	const { role: least }: Rules = rules[action];
	const needed = action === "prompt.answer" && requester !== person.id ? "approver" : least;
	if (needed === undefined || hasRole(person, needed)) return undefined;
	if (person.role === "stranger") {
		return rightTexts.noAccess(person.id);
	}
	return onlyOthersCan(action, needed);
}

/** Returns the error for a session that does not exist or that the caller may not read. */
export function unknownSession(id: string): ParleyError {
	return new ParleyError(rightTexts.sessionNotFound(id), { code: "not_found" });
}
