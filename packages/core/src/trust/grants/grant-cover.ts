import type { ReadyCall } from "../../tools/calls/tool-call.ts";
import type { GrantFacts } from "../../vocabulary/event.ts";
import { hasRole, type Person } from "../../vocabulary/principal.ts";
import { ruleNameOf, type Tool, type ToolPlan } from "../../vocabulary/tool.ts";

/** A call that may be covered. */
export interface Coverable {
	readonly place: string | undefined;
	/** Authors of the run's messages, the first one first. */
	readonly participants: readonly (Person | undefined)[];
	readonly call: ReadyCall;
	/** Covered calls that have not begun. */
	readonly pending: number;
}

/** Classes that are always allowed, so that a grant need not name them. */
const harmless: ReadonlySet<string> = new Set(["read", "person"]);

/**
 * Whether a grant of the channel covers every author of a run: members and above, and among these the named people. A
 * message without a person, or from another channel, is not covered.
 */
export function coversPeople(
	{ people, place }: GrantFacts,
	participants: readonly (Person | undefined)[],
): boolean {
	return participants.every((person) => {
		if (!person || !hasRole(person, "member")) return false;
		const { platform, tenant, channel, shared } = person.place;
		if (shared || `${platform}:${tenant}:${channel}` !== place) return false;
		return people === null || people.includes(person.id);
	});
}

/** Whether a grant covers a call: its tool and all its classes. Files outside the roots need their class in the grant. */
export function coversCall(
	{ tools, classes }: Pick<GrantFacts, "tools" | "classes">,
	{ tool, plan }: { readonly tool: Tool; readonly plan: ToolPlan },
): boolean {
	if (tools !== null && !tools.includes(ruleNameOf(tool))) return false;
	return plan.classes.every(
		(name) => harmless.has(name) || (classes ? classes.includes(name) : name !== "outside-read"),
	);
}
