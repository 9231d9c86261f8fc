import { basename } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

export interface Identifier {
	readonly name: string;
	/** Line of the first use, starting at 1. */
	readonly line: number;
}

/** Words that a name must not contain, with their replacements. */
const bannedWords: Readonly<Record<string, string>> = {
	asked: "requested, prompt or question",
	bury: "remove",
	ground: "setup, directory or platform",
	heard: "received",
	held: "pending, delayed, locked or blocked",
	hold: "pause, delay, lock or block",
	holding: "pausing, delaying or owner",
	holds: "contains, applies or locks",
	keep: "store, record or renew",
	keeping: "storing or recording",
	keeps: "stores or retains",
	kept: "stored, recorded or remaining",
	lives: "processes or lifetimes",
	unheard: "unread",
	nobody: "none",
	owed: "remaining or unread",
	somebody: "member, client or caller",
	picture: "image",
	pictures: "images",
	said: "message, reply or reason",
	speaker: "author or participant",
	speakers: "authors or participants",
	spoke: "sent",
	spoken: "sent, text or reply",
	street: "run or platform",
	taken: "received, stored, used or accepted",
	talker: "author",
	talkers: "authors",
	told: "reported, notified or shown",
	untaken: "unreceived",
	wanted: "requested, expected or required",
	whose: "owner, author or scope",
	whispers: "privately",
};

/** Words that must not begin a name, with their replacements. */
const bannedBeginnings: Readonly<Record<string, string>> = { most: "max, maximum or newest" };

/** Each identifier of a source once, and the name of its file. Quoted properties are not included. */
export function identifiersOf(file: string, source: string): Identifier[] {
	const { program } = parseSync(file, source);
	const starts = new Map<string, number>([[basename(file).replace(/\.\w+$/, ""), 0]]);
	const add = ({ name, start }: { readonly name: string; readonly start: number }): void => {
		if (!starts.has(name)) starts.set(name, start);
	};
	new Visitor({ Identifier: add, PrivateIdentifier: add }).visit(program);
	return [...starts].map(([name, start]) => ({ name, line: source.slice(0, start).split("\n").length }));
}

/** Advice about the first banned word in a name. Undefined if the name contains no such word. */
export function adviceFor(name: string): string | undefined {
	const words = wordsOf(name);
	const word = words.find((one) => Object.hasOwn(bannedWords, one));
	if (word !== undefined) return `replace "${word}", for example by ${bannedWords[word]}`;
	const [first = ""] = words;
	return Object.hasOwn(bannedBeginnings, first)
		? `replace "${first}", for example by ${bannedBeginnings[first]}`
		: undefined;
}

/** Words of a name in camel case, snake case or kebab case, converted to lower case. */
export function wordsOf(name: string): string[] {
	return name
		.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
		.replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
		.toLowerCase()
		.split(/[^\p{L}]+/u)
		.filter((word) => word !== "");
}
