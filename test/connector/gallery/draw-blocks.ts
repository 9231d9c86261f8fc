import { insideOf, isPart, type Part } from "../../simulators/slack/blocks/block-text.ts";
import { labelOf, optionsOf } from "../../simulators/slack/blocks/controls.ts";
import { readAloud } from "../../simulators/slack/people/read-aloud.ts";
import type { State } from "../../simulators/slack/platform/state.ts";
import { normalised } from "../scenes/normalised.ts";
import { asRead } from "../scenes/slack-room.ts";
import { controlOf } from "./control-of.ts";
import { drawMarkdown } from "./draw-markdown.ts";
import { drawRichText } from "./draw-rich-text.ts";
import { html, lines, type Markup } from "./markup.ts";
import { drawMenu } from "./post.ts";

const icons: Readonly<Record<string, string>> = {
	pending: "○",
	in_progress: "◌",
	complete: "✓",
	error: "✕",
};

export function drawBlocks(state: State, blocks: readonly Part[]): Markup[] {
	return blocks.map((block) => drawBlock(state, block));
}

/** Renders Slack's mrkdwn, whose bold and strikethrough marks differ from Markdown. */
export function drawMrkdwn(state: State, text: string): Markup {
	const markdown = readOf(state, text)
		.replace(/(?<![\w*])\*(?=\S)([^*\n]*\S)\*(?![\w*])/g, "**$1**")
		.replace(/(?<![\w~])~(?=\S)([^~\n]*\S)~(?![\w~])/g, "~~$1~~");
	return drawMarkdown(markdown);
}

function readOf(state: State, text: string): string {
	return normalised(asRead(readAloud(state, text)));
}

function drawBlock(state: State, block: Part): Markup {
	switch (block.type) {
		case "markdown":
			return drawMarkdown(readOf(state, String(block["text"])));
		case "section":
			return drawMrkdwn(state, isPart(block["text"]) ? String(block["text"]["text"]) : "");
		case "context":
			return html`<div class="small">${insideOf(block["elements"]).map(({ text }) => drawMrkdwn(state, String(text)))}</div>`;
		case "rich_text":
			return lines(
				insideOf(block["elements"]).map((part) => drawRichText(part, (text) => readOf(state, text))),
			);
		case "divider":
			return html`<hr>`;
		case "table":
			return drawTable(state, block);
		case "plan":
			return html`<div class="plan"><div class="title">${readOf(state, String(block["title"]))}</div>
${lines(insideOf(block["tasks"]).map((task) => drawTask(state, task)))}
</div>`;
		case "task_card":
			return html`<div class="plan">${drawTask(state, block)}</div>`;
		case "actions":
		case "context_actions":
			return html`<div class="row">${insideOf(block["elements"]).map(drawElement)}</div>`;
		default:
			throw new Error(`the gallery does not draw blocks of type ${block.type}: add it here`);
	}
}

function drawTask(state: State, { status, title, details, output }: Part): Markup {
	const below = [details, output].filter(isPart).map((part) => drawBlock(state, part));
	const name = String(status);
	return html`<div class="task ${name}"><span class="icon">${icons[name] ?? ""}</span> ${readOf(state, String(title))}${below}</div>`;
}

function drawTable(state: State, { rows }: Part): Markup {
	const drawn = (Array.isArray(rows) ? rows : []).map((row: unknown) => {
		const cells = insideOf(row).map((cell) => html`<td>${drawCell(state, cell)}</td>`);
		return html`<tr>${cells}</tr>`;
	});
	return html`<table>${drawn}</table>`;
}

function drawCell(state: State, cell: Part): Markup {
	return cell.type === "rich_text" ? drawBlock(state, cell) : drawMrkdwn(state, String(cell["text"] ?? ""));
}

function drawElement(element: Part): Markup {
	const id = String(element["action_id"]);
	switch (element.type) {
		case "button": {
			const { style, url } = element;
			const name = typeof style === "string" ? style : "plain";
			return html`<span class="button ${name}" data-control="${controlOf(id)}">${labelOf(element)}${url === undefined ? "" : " ↗"}</span>`;
		}
		case "feedback_buttons": {
			const pair = [
				["👍", element["positive_button"]],
				["👎", element["negative_button"]],
			] as const;
			const drawn = pair.map(([face, button]) => {
				const control = controlOf(isPart(button) ? String(button["value"]) : "");
				return html`<span class="feedback" data-control="${control}">${face} ${labelOf(button)}</span>`;
			});
			return html`${drawn}`;
		}
		case "static_select":
		case "multi_static_select": {
			const chosen = new Set(
				[element["initial_option"], ...[element["initial_options"]].flat()].map(labelOf),
			);
			const options = optionsOf(element).map(labelOf);
			return drawMenu(labelOf(element["placeholder"]), {
				control: controlOf(id),
				options: options.map((label) => ({ label, isChosen: chosen.has(label) })),
			});
		}
		default:
			throw new Error(`the gallery does not draw elements of type ${element.type}: add it here`);
	}
}
