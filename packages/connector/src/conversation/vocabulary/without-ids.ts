import type { PersonNames } from "../../platform/chat-platform.ts";
import { plainLine } from "./plain.ts";

const id = /[a-z][a-z0-9-]*:[^\s:()]+:[^\s:(),]+/u;
const inBrackets = new RegExp(` \\(${id.source}\\)`, "gu");
const trusting = new RegExp(`^Trust ${id.source} `, "u");

/** Returns the gateway's trust request without ids, for members of the channel. */
export function trustRequestWithoutIds(label: string): string {
	return label.replace(trusting, "Trust this channel ").replace(inBrackets, "");
}

/**
 * Returns the gateway's refusal without the id of the server or workspace. The name of the person replaces their id,
 * unless the name is empty.
 */
export function refusalWithoutIds(words: string, { platform, tenant, person }: RefusedPerson): string {
	const own = `${platform}:${tenant}:${person.id}`;
	const named = person.name === "" ? words : words.replace(own, () => person.name);
	return named.replace(` (${tenant})`, "").replace(` (${platform}:${tenant})`, "");
}

const personId = /\b(?:discord|slack):[^\s:()]+:[0-9A-Za-z]+/u;

/** Returns a text of the gateway as Markdown in one line, with the names of people in place of their ids. */
export function plainWithPeople(text: string, maximum: number, { person }: PersonNames): string {
	const [found] = personId.exec(text) ?? [];
	if (found === undefined) return plainLine(text, maximum);
	const [before = "", ...after] = text.split(found);
	const name = person(found.split(":")[2] ?? "");
	const [start, rest] = [plainLine(before, maximum), plainWithPeople(after.join(found), maximum, { person })];
	return [start, name, rest]
		.filter((part) => part !== "")
		.join(" ")
		.replace(/ (?=[,.;:)])/gu, "");
}

interface RefusedPerson {
	readonly platform: string;
	readonly tenant: string;
	readonly person: { readonly id: string; readonly name: string };
}
