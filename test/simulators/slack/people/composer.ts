import type { RichTextBlock, RichTextElement } from "@slack/types";

export interface Composed {
	/** Text with escaped entities: https://docs.slack.dev/messaging/formatting-message-text#escaping */
	readonly text: string;
	readonly blocks: readonly RichTextBlock[];
}

const tokens =
	/<@(\w+)>|<#(\w+)>|<!(channel|here|everyone)>|@(channel|here|everyone)\b|(https?:\/\/[^\s<>]+)/g;

/** Converts picked mentions (`<@U…>`, `@here`) and links to rich text elements. All other text stays text. */
export function compose(typed: string, blockId: string): Composed {
	const elements: RichTextElement[] = [];
	let [text, at] = ["", 0];
	const add = (plain: string): void => {
		if (plain === "") return;
		elements.push({ type: "text", text: plain });
		text += escaped(plain);
	};
	for (const found of typed.matchAll(tokens)) {
		add(typed.slice(at, found.index));
		const [written, user, channel, picked, named, url] = found;
		const range = picked ?? named;
		if (user !== undefined) elements.push({ type: "user", user_id: user });
		else if (channel !== undefined) elements.push({ type: "channel", channel_id: channel });
		// The cast is safe because the pattern matches only these kinds.
		else if (range !== undefined) elements.push({ type: "broadcast", range: range as "here" });
		else elements.push({ type: "link", url: url ?? "" });
		text += range === undefined ? (url === undefined ? written : `<${url}>`) : `<!${range}>`;
		at = found.index + written.length;
	}
	add(typed.slice(at));
	const sections = [{ type: "rich_text_section" as const, elements }];
	return { text, blocks: text === "" ? [] : [{ type: "rich_text", block_id: blockId, elements: sections }] };
}

function escaped(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
