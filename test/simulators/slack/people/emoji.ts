/** Emoji with Slack's names for them: https://docs.slack.dev/reference/methods/reactions.add */
const names: ReadonlyMap<string, string> = new Map([
	...([
		["❌", "x"],
		["🔁", "repeat"],
		["👍", "+1"],
		["👎", "-1"],
		["⛔", "no_entry"],
	] as const),
	...([
		["🛑", "octagonal_sign"],
		["🔄", "arrows_counterclockwise"],
		["👀", "eyes"],
	] as const),
	...([
		["✅", "white_check_mark"],
		["⏳", "hourglass_flowing_sand"],
		["🎉", "tada"],
	] as const),
]);

/** Returns the name of an emoji. The argument may already be a name. */
export function emojiName(emoji: string): string {
	return names.get(emoji) ?? emoji.replaceAll(":", "");
}

export function emojiOf(name: string): string {
	return [...names].find(([, known]) => known === name)?.[0] ?? `:${name}:`;
}
