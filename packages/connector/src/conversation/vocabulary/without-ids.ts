const id = /[a-z][a-z0-9-]*:[^\s:()]+:[^\s:(),]+/u;
const inBrackets = new RegExp(` \\(${id.source}\\)`, "gu");
const trusting = new RegExp(`^Trust ${id.source} `, "u");

/** The gateway's trust request for members of the channel: names without ids. */
export function trustRequestWithoutIds(label: string): string {
	return label.replace(trusting, "Trust this channel ").replace(inBrackets, "");
}

/** The gateway's refusal with the person's name in place of the id. A command in the text stays unchanged. */
export function refusalWithoutIds(words: string, { platform, tenant, person }: RefusedPerson): string {
	const own = `${platform}:${tenant}:${person.id}`;
	return person.name === "" ? words : words.replace(own, () => person.name);
}

interface RefusedPerson {
	readonly platform: string;
	readonly tenant: string;
	readonly person: { readonly id: string; readonly name: string };
}
