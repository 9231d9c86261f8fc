import { basename } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";

export interface Identifier {
	readonly name: string;
	readonly line: number;
}

/** Words that a name must not contain, with suggested replacements. */
const bannedWords: Readonly<Record<string, string>> = {
	aftermath: "result",
	amid: "between or within",
	anew: "replace, reset or new",
	asked: "requested, prompt or question",
	assault: "attack",
	astray: "misleading or wrong",
	attended: "started or connected",
	awake: "wake, or active",
	barely: "almost or without",
	bring: "store, send or open",
	brings: "stores, sends or opens",
	brought: "stored, received or added",
	bury: "remove",
	came: "received or arrived",
	come: "arrive, receive or add",
	concerned: "affected or needed",
	deafens: "stops receiving",
	deed: "action or outcome",
	deeds: "actions or outcomes",
	endure: "survive or wait",
	forgive: "reset or delete",
	goes: "continues, moves or starts",
	ground: "setup, directory or platform",
	halfway: "between or partial",
	haste: "speed or factor",
	heard: "received",
	held: "pending, delayed, locked or blocked",
	hold: "pause, delay, lock or block",
	holding: "pausing, delaying or owner",
	holds: "contains, applies or locks",
	insist: "retry",
	keep: "store, record or renew",
	keeping: "storing or recording",
	keeps: "stores or retains",
	kept: "stored, recorded or remaining",
	lend: "share or reserve",
	lent: "shared or reserved",
	lives: "processes or lifetimes",
	manner: "kind or text",
	meant: "expected, affected or matching",
	mend: "fix or repair",
	mended: "fixed or repaired",
	misplace: "move",
	namesake: "entry with the same name",
	nobody: "none",
	nobodys: "unused or none",
	occasion: "event or context",
	owe: "add or record",
	owed: "remaining or unread",
	picture: "image",
	pictures: "images",
	placeless: "without a channel or path",
	remarks: "notes",
	said: "message, reply or reason",
	senseless: "invalid",
	somebody: "member, client or caller",
	sought: "requested or searched",
	speaker: "author or participant",
	speakers: "authors or participants",
	spoke: "sent",
	spoken: "sent, text or reply",
	standings: "states or budgets",
	stray: "unexpected or invalid",
	strays: "unexpected values",
	street: "run or platform",
	stumbling: "fault or tolerance",
	surely: "certain or required",
	taken: "received, stored, used or accepted",
	talker: "author",
	talkers: "authors",
	theirs: "the noun",
	them: "the noun",
	these: "the noun",
	those: "the noun",
	thoughtless: "without thinking",
	told: "reported, notified or shown",
	unheard: "unread",
	unnamable: "unsafe or invalid",
	untaken: "unreceived",
	wanted: "requested, expected or required",
	wanting: "incomplete or missing",
	weighed: "measured or delivered",
	whispers: "privately",
	whom: "the role, such as member or target",
	whose: "owner, author or scope",
	whys: "reasons",
	woken: "wake or resumed",
	wound: "damage",
	wounds: "damage or rounds",
};

/** Words that a name must not start with, with suggested replacements. */
const bannedBeginnings: Readonly<Record<string, string>> = { most: "max, maximum or newest" };

/** Returns each identifier of a source once, including the base name of the file. Quoted properties are excluded. */
export function identifiersOf(file: string, source: string): Identifier[] {
	const { program } = parseSync(file, source);
	const starts = new Map<string, number>([[basename(file).replace(/\.\w+$/, ""), 0]]);
	const add = ({ name, start }: { readonly name: string; readonly start: number }): void => {
		if (!starts.has(name)) starts.set(name, start);
	};
	new Visitor({ Identifier: add, PrivateIdentifier: add }).visit(program);
	return [...starts].map(([name, start]) => ({ name, line: source.slice(0, start).split("\n").length }));
}

/** Returns advice for a name. Undefined for an allowed name. */
export function adviceFor(name: string): string | undefined {
	const words = wordsOf(name);
	const word = words.find((one) => Object.hasOwn(bannedWords, one));
	if (word !== undefined) return `replace "${word}", for example by ${bannedWords[word]}`;
	const [first = ""] = words;
	return Object.hasOwn(bannedBeginnings, first)
		? `replace "${first}", for example by ${bannedBeginnings[first]}`
		: undefined;
}

/** Returns the words of a name in camel case, snake case or kebab case, in lower case. */
export function wordsOf(name: string): string[] {
	return name
		.replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
		.replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
		.toLowerCase()
		.split(/[^\p{L}]+/u)
		.filter((word) => word !== "");
}
