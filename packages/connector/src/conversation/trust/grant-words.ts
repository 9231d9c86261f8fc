import { definedItems } from "@parley/base";
import type { GrantPayload } from "@parley/protocol";
import type { PersonNames } from "../../platform/chat-platform.ts";
import { plain } from "../vocabulary/plain.ts";

type Names = PersonNames;

const maxListed = 10;

/** Name of a principal: `operator`, or a person of the platform. */
export function personOf(principal: string, { person }: Names): string {
	if (principal === "operator") return "the operator";
	const id = /^[^\s:]+:[^\s:]+:([^\s:]+)$/u.exec(principal)?.[1];
	return id === undefined ? plain(principal, 100) : person(id);
}

/** Scope of a grant, in one line. */
export function coverOf({ people, tools, classes, max_actions }: GrantPayload, names: Names): string {
	return definedItems([
		tools === null
			? "all tools"
			: `the tools ${listed(tools.map((tool) => `\`${tool.replaceAll("`", "")}\``))}`,
		classes === null ? undefined : `only what is ${listed(classes.map((name) => plain(name, 40)))}`,
		people === null ? "for every member here" : `for ${listed(people.map((id) => personOf(id, names)))}`,
		`${max_actions} calls at most`,
	]).join(", ");
}

/** Actions that no grant covers. */
export const approvalStillRequired =
	"what is written outside of the working directory, secrets, the gateway itself, commands without a sandbox, and what cannot be undone";

/** Reason for the end of a grant, to follow a colon. */
export function endWords(reason: string, names: Names): string {
	const [, by, why = ""] = /^revoked by (\S+?)(?:: (.*))?$/su.exec(reason) ?? [];
	if (by !== undefined) {
		const isPerson = by === "operator" || by.split(":").length === 3;
		// If a connector ended it, the reason is sufficient.
		if (!isPerson && why !== "") return plain(why, 300);
		return `${personOf(by, names)} ended it${why === "" ? "" : `: ${plain(why, 300)}`}`;
	}
	return reason === "expired" ? "its time is over" : plain(reason, 300);
}

function listed(names: readonly string[]): string {
	const more = names.length - maxListed;
	return definedItems([...names.slice(0, maxListed), more > 0 ? `${more} more` : undefined]).join(", ");
}
