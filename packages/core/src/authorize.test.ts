import { expect, test } from "vitest";
import { type Action, authorize, isAuthorized } from "./authorize.ts";
import { operator, type Principal, type PrincipalKind } from "./principal.ts";

const kinds: readonly PrincipalKind[] = ["operator", "observer", "connector", "agent"];

/** Who may do it to anything, to what is their own, or not at all; in the order of `kinds`. */
const table: { readonly [Name in Action]: readonly ["any" | "own" | "no", ...("any" | "own" | "no")[]] } = {
	"session.list": ["any", "own", "own", "no"],
	"session.read": ["any", "own", "own", "no"],
	"session.open": ["any", "no", "own", "no"],
	"session.write": ["any", "no", "own", "no"],
	"session.delete": ["any", "no", "own", "no"],
	"file.write": ["any", "no", "own", "no"],
	"file.read": ["any", "own", "own", "no"],
	"health.read": ["any", "any", "any", "no"],
	"metrics.read": ["any", "no", "no", "no"],
	"prompt.answer": ["any", "no", "own", "no"],
	"prompt.deny": ["any", "no", "own", "no"],
	"trust.accept_all": ["any", "no", "no", "no"],
	"event.read": ["any", "own", "own", "no"],
	"task.read": ["any", "own", "own", "no"],
	"usage.read": ["any", "own", "own", "no"],
	"budget.set": ["any", "no", "no", "no"],
	"agents.read": ["any", "any", "any", "no"],
	"model.read": ["any", "any", "any", "no"],
	"gateway.control": ["any", "no", "no", "no"],
};

const cases = Object.entries(table).flatMap(([action, rights]) =>
	// True because the keys of the table are the actions.
	kinds.map((kind, index) => [kind, action as Action, rights[index] ?? "no"] as const),
);

test.each(cases)("%s, %s: %s", (kind, action, right) => {
	const principal: Principal = { id: `${kind}:1`, kind };
	expect(isAuthorized(principal, action, { owner: "somebody else" })).toBe(right === "any");
	expect(isAuthorized(principal, action, { owner: principal.id })).toBe(right !== "no");
	expect(isAuthorized(principal, action)).toBe(right !== "no");
});

test("there are as many cases as there are actions and kinds", () => {
	expect(cases).toHaveLength(Object.keys(table).length * kinds.length);
});

test("to be refused is to be told what one may not do", () => {
	const observer: Principal = { id: "observer:1", kind: "observer" };
	expect(() => authorize(observer, "session.write")).toThrow(
		expect.objectContaining({ code: "permission_denied", message: "observer may not session.write" }),
	);
	expect(() => authorize(operator, "session.write", { owner: "connector:1" })).not.toThrow();
});
