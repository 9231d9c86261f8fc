import type { Sight } from "../scenes/step.ts";
import { html, lines, type Markup } from "./markup.ts";

export interface Draw<S> {
	/** Renders all posts of the channel with their threads, as Mia sees them. */
	channel(site: S): Markup;
	/**
	 * Renders the first state of a post with this content, in any channel. Undefined if no post had this content.
	 */
	moment(site: S, sight: Sight): Markup | undefined;
	/** Renders the last form that was opened. Undefined if no form was opened. */
	form(site: S): Markup | undefined;
	/** Renders Mia's home page. Undefined on a platform without home pages. */
	home(site: S): Markup | undefined;
}

export interface Post {
	readonly author: string;
	readonly isApp: boolean;
	/** Line above the post, for example the answered message. */
	readonly above?: Markup | undefined;
	readonly body: Markup;
	/** Line below the post, for example its reactions. */
	readonly below?: Markup | undefined;
	readonly thread?: Markup | undefined;
}

/** Renders a post. All posts show the same time, because the times of a scene depend on the machine. */
export function drawPost({ author, isApp, above, body, below, thread }: Post): Markup {
	const tag = isApp ? html` <span class="app">APP</span>` : undefined;
	const inside = [above, headOf(author, tag), html`<div class="body">${body}</div>`, below, thread];
	return html`<div class="post"><div class="avatar ${author}">${author.slice(0, 1)}</div><div class="content">
${lines(inside.filter((part) => part !== undefined))}
</div></div>`;
}

function headOf(author: string, tag: Markup | undefined): Markup {
	return html`<div class="head"><span class="name">${author}</span>${tag} <span class="time">12:00</span></div>`;
}

export function drawReactions(reactions: Readonly<Record<string, number>>): Markup | undefined {
	const drawn = Object.entries(reactions).map(
		([emoji, count]) => html`<span class="reaction">${emoji} ${count}</span>`,
	);
	return drawn.length === 0 ? undefined : html`<div class="row">${drawn}</div>`;
}

export function drawFile(name: string): Markup {
	return html`<div class="file">📄 ${name}</div>`;
}

export interface Option {
	readonly label: string;
	readonly isChosen: boolean;
}

/** Renders a menu in its open state, which shows all options. */
export function drawMenu(
	placeholder: string,
	{ control, options }: { readonly control: string; readonly options: readonly Option[] },
): Markup {
	const items = options.map(
		({ label, isChosen }) => html`<div class="option">${isChosen ? "✓ " : ""}${label}</div>`,
	);
	return html`<div class="menu" data-control="${control}"><div class="placeholder">${placeholder} ▾</div>${items}</div>`;
}

export function drawForm(
	title: string,
	fields: readonly { readonly label: string; readonly value?: string | undefined }[],
): Markup {
	const drawn = fields.map(
		({ label, value = "" }) =>
			html`<div class="field"><div class="label">${label}</div><div class="input">${value}</div></div>`,
	);
	return html`<div class="form"><div class="title">${title}</div>
${lines(drawn)}
</div>`;
}
