import { definedItems } from "@parley/base";
import type { GrantPayload } from "@parley/protocol";
import type { PersonNames } from "../../platform/chat-platform.ts";
import { trustTexts } from "../../texts/trust.ts";
import { clause } from "../answers/notice.ts";
import { plainLine } from "../vocabulary/plain.ts";
import { plainWithPeople } from "../vocabulary/without-ids.ts";

type Names = PersonNames;

const maxListed = 10;

/** Returns the name of the operator or a person, or the id of any other principal. */
export function personOf(principal: string, { person }: Names): string {
	if (principal === "operator") return trustTexts.operator;
	const id = /^[^\s:]+:[^\s:]+:([^\s:]+)$/u.exec(principal)?.[1];
	return id === undefined ? plainLine(principal, 100) : person(id);
}

/** Returns the scope of a grant, in one line. */
export function coverOf({ people, tools, classes, max_actions }: GrantPayload, names: Names): string {
	const { cover } = trustTexts;
	return definedItems([
		tools === null
			? cover.allTools
			: cover.tools({
					tools: listed(tools.map((tool) => `\`${tool.replaceAll("`", "")}\``)),
					count: tools.length,
				}),
		classes === null
			? undefined
			: cover.classes({
					classes: listed(classes.map((name) => plainLine(name, 40))),
					count: classes.length,
				}),
		people === null
			? cover.allMembers
			: cover.members({ members: listed(people.map((id) => personOf(id, names))) }),
		cover.calls({ maximum: max_actions }),
	]).join(", ");
}

/** Whether a grant ended because a newer grant replaced it. The reason is the gateway's text. */
export function isReplaced(reason: string): boolean {
	return reason === "a newer grant replaces it";
}

/** Returns the reason for the end of a grant, as text after a colon. */
export function grantEndText(reason: string, names: Names): string {
	const [, by, why = ""] = /^revoked by (\S+?)(?:: (.*))?$/su.exec(reason) ?? [];
	if (by !== undefined) {
		const isPerson = by === "operator" || by.split(":").length === 3;
		// If a connector ended the grant, the reason is sufficient.
		if (!isPerson && why !== "") return clause(why, 300);
		return trustTexts.ends.endedBy({
			person: personOf(by, names),
			reason: why === "" ? "" : clause(why, 300),
		});
	}
	return reason === "expired" ? trustTexts.ends.expired : plainWithPeople(reason, 300, names);
}

function listed(names: readonly string[]): string {
	const more = names.length - maxListed;
	const last = more > 0 ? trustTexts.cover.more({ count: more }) : undefined;
	return definedItems([...names.slice(0, maxListed), last]).join(", ");
}
