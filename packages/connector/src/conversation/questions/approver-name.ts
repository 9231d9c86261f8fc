import type { PersonNames } from "../../platform/chat-platform.ts";
import { actingPerson, oneLine, plainLine } from "../vocabulary/plain.ts";
import { type OpenQuestion, platformOf } from "./question.ts";

type ForeignNames = OpenQuestion["names"];

/** Maximum length of a name, in UTF-16 code units. A line of a card names up to three approvers. */
const longestName = 12;

/** Adds the name of an approver. Only an approver from another guild, team or platform has a name in the event. */
export function withName(
	names: ForeignNames,
	{ by, by_name: name }: { readonly by: string; readonly by_name?: string },
): ForeignNames {
	return name === undefined ? names : { ...names, [by]: oneLine(name, longestName) };
}

/** Returns Markdown that names an approver: by the foreign name and the platform, or by id on this platform. */
export function approverName(by: string, names: ForeignNames, platform: PersonNames): string {
	const name = names?.[by];
	return name === undefined
		? actingPerson(by, platform)
		: `${plainLine(name, longestName)} (${platformOf(by)})`;
}
