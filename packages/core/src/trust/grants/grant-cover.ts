import type { ReadyCall } from "../../tools/calls/tool-call.ts";
import type { GrantFacts } from "../../vocabulary/event.ts";
import { hasRole, type Person } from "../../vocabulary/principal.ts";
import { ruleNameOf, type Tool, type ToolPlan } from "../../vocabulary/tool.ts";

/** A tool call that a grant may cover. */
export interface Coverable {
	readonly place: string | undefined;
	/** Authors of the run's messages, in order. */
	readonly participants: readonly (Person | undefined)[];
	readonly call: ReadyCall;
	/** Number of calls that the grant covers and that have not started. */
	readonly pending: number;
}

/** Classes that are always allowed, so a grant need not name them. */
const harmless: ReadonlySet<string> = new Set(["read", "person"]);

/**
 * Whether a grant covers every author of a run. An author needs at least the role member and, if the grant names people,
 * must be one of these people. No grant covers a message without a person, from another channel, or from a channel with
 * people of other organisations.
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

/**
 * Whether a grant covers the tool and all classes of a call. Reads outside the roots are covered only if the grant names
 * the class `outside-read`.
 */
export function coversCall(
	{ tools, classes }: Pick<GrantFacts, "tools" | "classes">,
	{ tool, plan }: { readonly tool: Tool; readonly plan: ToolPlan },
): boolean {
	if (tools !== null && !tools.includes(ruleNameOf(tool))) return false;
	return plan.classes.every(
		(name) => harmless.has(name) || (classes ? classes.includes(name) : name !== "outside-read"),
	);
}
