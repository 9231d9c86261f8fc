const id = /[a-z][a-z0-9-]*:[^\s:()]+:[^\s:(),]+/u;
const inBrackets = new RegExp(` \\(${id.source}\\)`, "gu");
const trusting = new RegExp(`^Trust ${id.source} `, "u");

/** The gateway's question whether a channel is to be trusted, for those who are in it: names without the ids behind them. */
export function trustRequestWithoutIds(label: string): string {
	return label.replace(trusting, "Trust this channel ").replace(inBrackets, "");
}

/** What the gateway says to somebody about themselves, with their name for their id; a command that follows keeps it. */
export function refusalWithoutIds(words: string, { platform, tenant, person }: RefusedPerson): string {
	const own = `${platform}:${tenant}:${person.id}`;
	return person.name === "" ? words : words.replace(own, () => person.name);
}

interface RefusedPerson {
	readonly platform: string;
	readonly tenant: string;
	readonly person: { readonly id: string; readonly name: string };
}
