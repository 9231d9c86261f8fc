import type { Address } from "@parley/connector";

/** Names for mentions in a text. Undefined for unknown ids. */
export interface Names {
	person(id: string): Promise<string | undefined>;
	channel(id: string): Promise<string | undefined>;
}

/**
 * Pattern of a mention or a link. Slack escapes angle brackets that people type:
 * https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages
 */
const mark = /<([^<>]*)>(,|:(?=[\s/!]|$))?([^\S\n]*)/g;
const broadcast = /^!(?:here|channel|everyone)$/;

/** Returns the addressees of a text. `user` is the id of the bot. */
export function readAddress(text: string, user: string): Omit<Address, "reply"> {
	const targets = [...text.matchAll(mark)].map(([, inner = ""]) => inner.split("|")[0] ?? "");
	const people = targets.filter((target) => /^@[A-Z0-9]+$/.test(target));
	const isGroup = (target: string): boolean => target.startsWith("!subteam^");
	return {
		us: people.includes(`@${user}`),
		others: people.some((target) => target !== `@${user}`) || targets.some(isGroup),
		everyone: targets.some((target) => broadcast.test(target)),
	};
}

/** Returns the visible text of a message, without the mention of the bot. */
export async function readText(text: string, user: string, names: Names): Promise<string> {
	const parts = text.split(mark);
	const read = await Promise.all(
		parts.map((part, index) => {
			// The parts alternate between text, mention, punctuation and spaces. Missing punctuation is undefined.
			const kind = index % 4;
			if (kind === 0) return unescaped(part);
			if (kind === 1) return readMark(part, user, names);
			return isOwn(parts[index - kind + 1] ?? "", user) ? "" : (part ?? "");
		}),
	);
	return read.join("").trim();
}

function isOwn(inner: string, user: string): boolean {
	return inner.split("|")[0] === `@${user}`;
}

async function readMark(inner: string, user: string, names: Names): Promise<string> {
	if (isOwn(inner, user)) return "";
	const [target = "", ...labels] = inner.split("|");
	const label = unescaped(labels.join("|"));
	const id = target.slice(1);
	switch (target[0]) {
		case "@":
			return `@${(await names.person(id)) ?? (label || id)}`;
		case "#":
			return `#${label || ((await names.channel(id)) ?? id)}`;
		case "!":
			return broadcast.test(target) ? `@${id}` : label || `<${inner}>`;
		default:
			return readLink(unescaped(target), label);
	}
}

function readLink(target: string, label: string): string {
	const address = target.replace(/^(?:mailto|tel):/, "");
	if (label === "" || label === address || target.endsWith(`://${label}`)) return address;
	return `[${label}](${target})`;
}

function unescaped(text: string): string {
	return text.replace(/&(?:lt|gt|amp);/g, (entity) => ({ "&lt;": "<", "&gt;": ">" })[entity] ?? "&");
}
