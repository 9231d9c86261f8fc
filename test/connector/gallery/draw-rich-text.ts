import { insideOf, isPart, type Part } from "../../simulators/slack/blocks/block-text.ts";
import { drawCode, drawText } from "./draw-markdown.ts";
import { html, type Markup } from "./markup.ts";

type Read = (text: string) => string;

/** Renders a part of a rich text. `read` replaces tokens of people, channels and times. */
export function drawRichText(part: Part, read: Read): Markup {
	const inside = (): Markup[] => insideOf(part["elements"]).map((one) => drawRichText(one, read));
	switch (part.type) {
		case "rich_text_section":
			return html`<p>${inside()}</p>`;
		case "rich_text_quote":
			return html`<blockquote>${inside()}</blockquote>`;
		case "rich_text_list": {
			const items = inside().map((item) => html`<li>${item}</li>`);
			return part["style"] === "ordered" ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
		}
		case "rich_text_preformatted": {
			const text = insideOf(part["elements"]).map((one) => String(one["text"] ?? one["url"] ?? ""));
			return drawCode(
				read(text.join("")),
				typeof part["language"] === "string" ? part["language"] : undefined,
			);
		}
		case "text":
			return drawStyled(part, read);
		case "link":
			return html`<span class="link">${drawText(read(String(part["text"] ?? part["url"])))}</span>`;
		case "date": {
			const token = `<!date^${String(part["timestamp"])}^${String(part["format"])}|${String(part["fallback"])}>`;
			return html`${read(token)}`;
		}
		case "user":
			return drawText(read(`<@${String(part["user_id"])}>`));
		case "channel":
			return drawText(read(`<#${String(part["channel_id"])}>`));
		case "emoji":
			return html`:${String(part["name"])}:`;
		default:
			throw new Error(`the gallery does not draw rich text of type ${part.type}: add it here`);
	}
}

function drawStyled({ text, style }: Part, read: Read): Markup {
	const { bold, italic, code, strike } = isPart(style) ? style : ({} as Part);
	let drawn = drawText(read(String(text)));
	if (code) drawn = html`<code>${drawn}</code>`;
	if (strike) drawn = html`<s>${drawn}</s>`;
	if (italic) drawn = html`<i>${drawn}</i>`;
	if (bold) drawn = html`<b>${drawn}</b>`;
	return drawn;
}
