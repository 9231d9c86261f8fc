import { readFileSync } from "node:fs";
import { type Kind, kindsOf, type Topic, topicsOf } from "./kinds.ts";
import { html, lines, Markup } from "./markup.ts";
import type { Draw } from "./post.ts";

/** Replaces the words of a growing answer and durations, because they depend on the time of the snapshot. */
function settled(drawn: Markup | undefined): Markup | undefined {
	return drawn && new Markup(drawn.text.replace(/\bt1(?: t\d+)+/g, "t1 t2 t3").replace(/ · \d+ s\b/g, ""));
}

function styleOf(name: string): Markup {
	return new Markup(readFileSync(new URL(`${name}.css`, import.meta.url), "utf8").trimEnd());
}

const names: Readonly<Record<string, string>> = { discord: "Discord", slack: "Slack" };

export class Gallery<S> {
	readonly #platform: string;
	readonly #draw: Draw<S>;
	readonly #drawn = new Map<Kind, Markup>();

	constructor(platform: string, draw: Draw<S>) {
		this.#platform = platform;
		this.#draw = draw;
	}

	add(scene: string, site: S): void {
		for (const kind of kindsOf(this.#platform)) {
			if (kind.scene !== scene) continue;
			const drawn = this.#drawnOf(kind, site);
			if (!drawn) {
				const content = JSON.stringify(kind.at ?? kind.shows);
				throw new Error(`no post of the scene ${scene} has ${content}: change kinds.ts`);
			}
			this.#drawn.set(kind, drawn);
		}
	}

	#drawnOf({ at, shows }: Kind, site: S): Markup | undefined {
		if (shows !== undefined) return this.#draw[shows](site);
		return at === undefined ? this.#draw.channel(site) : settled(this.#draw.moment(site, at));
	}

	get isComplete(): boolean {
		return kindsOf(this.#platform).every((kind) => this.#drawn.has(kind));
	}

	page(): string {
		const title = `Posts of Parley in ${names[this.#platform] ?? this.#platform}`;
		const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
${styleOf("gallery")}
${styleOf(this.#platform)}
</style>
</head>
<body class="${this.#platform}">
<h1>${title}</h1>
<p class="about">Made from the golden scenes in <code>test/connector/scenes</code>. See <code>docs/gallery.md</code>.</p>
<nav>
${lines(topicsOf(this.#platform).map(contentsOf))}
</nav>
${lines(topicsOf(this.#platform).map((topic) => this.#sectionOf(topic)))}
</body>
</html>
`;
		return page.text;
	}

	#sectionOf({ title, kinds }: Topic): Markup {
		const sections = kinds.map(
			(kind) => html`<section id="${kind.id}">
<h3>${kind.title} <span class="scene">${kind.scene}</span></h3>
${this.#drawn.get(kind)}
</section>`,
		);
		return lines([html`<h2>${title}</h2>`, ...sections]);
	}
}

function contentsOf({ title, kinds }: Topic): Markup {
	const links = kinds.map((kind) => html` <a href="#${kind.id}">${kind.title}</a>`);
	return html`<div><b>${title}</b>${links}</div>`;
}
