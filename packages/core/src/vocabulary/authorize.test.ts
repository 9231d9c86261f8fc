import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { type Action, actions, authorize, isAuthorized } from "./authorize.ts";
import { operator, type Person, type Principal, type PrincipalKind, type Role, roles } from "./principal.ts";

const kinds: readonly PrincipalKind[] = ["operator", "observer", "connector", "agent"];
const place = { platform: "discord", tenant: "g", channel: "c", shared: false };

/** Rights by kind of principal, and the lowest role of a person. `alone` also allows a connector without a person. */
type Rights = readonly [operator: Right, observer: Right, connector: Right, least?: Role, alone?: "alone"];
type Right = "any" | "own" | "no";
const table: { readonly [Name in Action]: Rights } = {
	"session.list": ["any", "own", "own", "guest", "alone"],
	"session.read": ["any", "own", "own", "guest", "alone"],
	"session.open": ["any", "no", "own", "guest"],
	"session.write": ["any", "no", "own", "guest"],
	"session.fork": ["any", "no", "own", "member"],
	"session.configure": ["any", "no", "own", "member"],
	"command.run": ["any", "no", "no"],
	"changes.read": ["any", "no", "no"],
	"changes.undo": ["any", "no", "no"],
	"client_tools.register": ["any", "no", "no"],
	"session.delete": ["any", "no", "own", "approver"],
	"file.write": ["any", "no", "own", "guest", "alone"],
	"file.read": ["any", "own", "own", "guest", "alone"],
	"health.read": ["any", "any", "any"],
	"metrics.read": ["any", "no", "no"],
	"prompt.read": ["any", "own", "own", "guest", "alone"],
	"prompt.answer": ["any", "no", "own", "approver"],
	"prompt.approve": ["any", "no", "own", "approver"],
	"prompt.approve_critical": ["any", "no", "no"],
	"prompt.deny": ["any", "no", "own", "guest"],
	"trust.accept_all": ["any", "no", "no"],
	"event.read": ["any", "own", "own", "guest", "alone"],
	"task.read": ["any", "own", "own", "guest", "alone"],
	"task.submit": ["any", "no", "own", "member"],
	"task.control": ["any", "no", "own", "member"],
	"memory.read": ["any", "no", "own", "guest"],
	"memory.write": ["any", "no", "own", "member"],
	"memory.write_everyone": ["any", "no", "no"],
	"memory.forget": ["any", "no", "own", "guest"],
	"memory.forget_channel": ["any", "no", "any", "approver", "alone"],
	"schedule.read": ["any", "no", "own", "guest"],
	"schedule.create": ["any", "no", "own", "member"],
	"schedule.remove": ["any", "no", "own", "guest"],
	"usage.read": ["any", "own", "own", "guest", "alone"],
	"budget.set": ["any", "no", "no"],
	"feedback.read": ["any", "no", "no"],
	"agents.read": ["any", "any", "any", "guest", "alone"],
	"skill.read": ["any", "any", "any", "guest", "alone"],
	"skill.trust": ["any", "no", "no"],
	"model.read": ["any", "any", "any", "guest", "alone"],
	"gateway.control": ["any", "no", "no"],
	"token.manage": ["any", "no", "no"],
	"ticket.create": ["any", "any", "any"],
	"person.pair": ["no", "no", "own", "stranger"],
	"person.self": ["any", "any", "any"],
	"person.report": ["no", "no", "any"],
	"person.read": ["any", "no", "no"],
	"person.manage": ["any", "no", "no"],
	"place.read": ["any", "no", "no"],
	"place.manage": ["any", "no", "no"],
	"policy.read": ["any", "no", "no"],
	"policy.extend": ["any", "no", "no"],
	"grant.request": ["any", "no", "own", "member"],
	"grant.confirm": ["any", "no", "own", "owner"],
	"grant.read": ["any", "own", "own", "guest", "alone"],
	"grant.revoke": ["any", "no", "own", "member", "alone"],
	"audit.read": ["any", "no", "no"],
};

function person(role: Role): Person {
	return { id: "discord:g:u", name: "Ada", role, place };
}

const cases = actions.flatMap((action) =>
	kinds.flatMap((kind, index) => {
		const [right, least] = index === 3 ? ["no" as const] : [table[action][index] ?? "no", table[action][3]];
		const withRole = kind === "connector" ? roles : ([undefined] as const);
		return withRole.map((role) => ({ action, kind, role, right, least }));
	}),
);

test.each(cases)(
	"the right to $action of $kind $role is that of the table",
	({ action, kind, role, right, least }) => {
		const principal: Principal = { id: `${kind}:1`, kind, ...(role && { person: person(role) }) };
		const hasRole = role === undefined || least === undefined || roles.indexOf(role) >= roles.indexOf(least);
		const own = right !== "no" && hasRole;
		expect(isAuthorized(principal, action, { owner: "somebody else" })).toBe(right === "any" && hasRole);
		expect(isAuthorized(principal, action, { owner: principal.id })).toBe(own);
		expect(isAuthorized(principal, action)).toBe(own);
	},
);

test("every action is in the table, for every kind and role", () => {
	expect(cases).toHaveLength(actions.length * (kinds.length - 1 + roles.length));
});

test("a connector without a person may only read, store files, and reduce trust in channels", () => {
	const connector: Principal = { id: "connector:1", kind: "connector" };
	const allowed = actions.filter((action) => isAuthorized(connector, action));
	expect(allowed).toEqual(
		actions.filter((action) => {
			const [, , right, least, alone] = table[action];
			return right !== "no" && (least === undefined || alone !== undefined);
		}),
	);
	expect(() => authorize(connector, "session.write")).toThrow(/must name the person that it acts for: actor/);
});

test("a person acts only on objects of their channel", () => {
	const owner: Principal = { id: "connector:1", kind: "connector", person: person("owner") };
	expect(isAuthorized(owner, "prompt.approve", { owner: owner.id, place: "discord:g:c" })).toBe(true);
	expect(() => authorize(owner, "prompt.approve", { owner: owner.id, place: "discord:g:other" })).toThrow(
		/^this belongs to another channel: use it there$/,
	);
});

test.each(actions)(
	"%s: a principal for a person cannot use other channels, or sessions without a channel",
	(action) => {
		const owner: Principal = { id: "connector:1", kind: "connector", person: person("owner") };
		const own = { owner: owner.id, sessionId: "sess_1" };
		const may = table[action][2] !== "no";
		expect(isAuthorized(owner, action, { ...own, place: "discord:g:c" })).toBe(may);
		expect(isAuthorized(owner, action, { ...own, place: "discord:g:other" })).toBe(false);
		expect(isAuthorized(owner, action, own)).toBe(false);
		const { person: _, ...outsider } = owner;
		const alone = may && (table[action][3] === undefined || table[action][4] === "alone");
		expect(isAuthorized(outsider, action, { ...own, place: "discord:g:other" })).toBe(alone);
	},
);

test("the requester answers the questions of a run, but approves no call", () => {
	const member: Principal = { id: "connector:1", kind: "connector", person: person("member") };
	expect(isAuthorized(member, "prompt.answer", { requester: "discord:g:u" })).toBe(true);
	expect(isAuthorized(member, "prompt.answer", { requester: "discord:g:x" })).toBe(false);
	expect(isAuthorized(member, "prompt.approve", { requester: "discord:g:u" })).toBe(false);
});

test("an observer sees the sessions that its token lists", () => {
	const observer: Principal = { id: "observer:1", kind: "observer", sessions: ["sess_a"] };
	expect(isAuthorized(observer, "session.read", { owner: "operator", sessionId: "sess_a" })).toBe(true);
	expect(isAuthorized(observer, "session.read", { owner: "operator", sessionId: "sess_b" })).toBe(false);
	expect(isAuthorized(observer, "session.write", { owner: "operator", sessionId: "sess_a" })).toBe(false);
});

test("an observer of all sessions reads the objects of every owner, and has no other permissions", () => {
	const observer: Principal = { id: "observer:1", kind: "observer", sessions: "all" };
	for (const object of [{ owner: "operator", sessionId: "sess_b" }, { owner: "" }]) {
		for (const action of actions) {
			const reads = table[action][1] !== "no";
			expect(isAuthorized(observer, action, object), action).toBe(reads);
		}
	}
});

test("an agent has no right to approve and no right of the operator alone, with any rights of its token", () => {
	const own = { owner: operator.id };
	const agent: Principal = { ...operator, through: "agent" };
	const form: Principal = { ...operator, through: "form" };
	const may = actions.filter((action) => isAuthorized(operator, action, own));
	const refused = may.filter((action) => !isAuthorized(agent, action, own));
	const operatorAlone = may.filter((action) => table[action][1] === "no" && table[action][2] === "no");
	expect(refused.toSorted()).toEqual([...operatorAlone, "grant.confirm", "prompt.approve"].toSorted());
	expect(refused).toEqual(
		expect.arrayContaining(["prompt.approve_critical", "trust.accept_all", "token.manage"]),
	);
	expect(refused.filter((action) => isAuthorized(form, action, own))).toEqual(["prompt.approve"]);
	const observer: Principal = { id: "observer:1", kind: "observer", through: "form" };
	expect(isAuthorized(observer, "prompt.approve")).toBe(false);
	expect(() => authorize(agent, "prompt.approve", own)).toThrow(
		"an agent does not have the permission prompt.approve: a person must do this with a parley command, for example parley answer",
	);
});

test("a refusal of a client names the action and the principal that can allow it", () => {
	const observer: Principal = { id: "observer:1", kind: "observer" };
	expect(() => authorize(observer, "session.write")).toThrow(
		expect.objectContaining({
			code: "permission_denied",
			message: expect.stringMatching(
				/^the observer does not have the permission session\.write: .*parley token create operator NAME/,
			),
		}),
	);
	expect(() => authorize(operator, "session.write", { owner: "connector:1" })).not.toThrow();
	for (const principal of [operator, observer]) {
		expect(() => authorize(principal, "person.pair")).toThrow(
			`the ${principal.kind} does not have the permission person.pair: only a connector has it`,
		);
	}
	expect(() => authorize(observer, "session.read", { owner: "operator" })).toThrow(
		/because the token does not include the object's session\. .*parley token create observer/,
	);
	const connector = { id: "connector:1", kind: "connector" } as const;
	expect(() => authorize(connector, "person.read")).toThrow(
		"the connector does not have the permission person.read: only the operator has it; use the token of an operator (parley token create operator NAME)",
	);
	for (const role of ["stranger", "owner"] as const) {
		expect(() => authorize({ ...connector, person: person(role) }, "person.read")).toThrow(
			/^only the operator can see people, outside of chats: ask the operator$/,
		);
	}
	expect(() => authorize({ ...connector, person: person("stranger") }, "session.write")).toThrow(
		/discord:g:u has no access: request a code with pair/,
	);
	expect(() => authorize({ ...connector, person: person("member") }, "prompt.approve")).toThrow(
		/^only approvers of this channel can approve this: ask one of them$/,
	);
});

test("a refusal of a person contains no name of a right and no role that chats do not mention", () => {
	const internal = /[a-z]+\.[a-z_]+|may not|\brole\b|is (?:guest|member|approver)|connector|permission/u;
	for (const action of actions) {
		for (const role of roles) {
			if (role === "stranger") continue;
			const someone = { id: "connector:1", kind: "connector", person: person(role) } as const;
			for (const object of [{}, { owner: "operator" }, { place: "discord:g:elsewhere" }]) {
				const refused = isAuthorized(someone, action, object)
					? undefined
					: refusalOf(someone, action, object);
				expect(refused ?? "", action).not.toMatch(internal);
				expect(refused ?? "", action).not.toContain("discord:");
			}
		}
	}
});

function refusalOf(...given: Parameters<typeof authorize>): string {
	try {
		authorize(...given);
		return "";
	} catch (reason) {
		return ParleyError.from(reason).message;
	}
}
