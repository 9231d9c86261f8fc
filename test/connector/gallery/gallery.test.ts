import { readdirSync, readFileSync } from "node:fs";
import { CardState, type ControlKind, commandTable, controlKinds } from "@parley/connector";
import { eventNames } from "@parley/protocol";
import { expect, test } from "vitest";
import { notDisplayed } from "../not-displayed.ts";
import { golden } from "../scenes/scenes/golden.ts";
import { drawMarkdown } from "./draw-markdown.ts";
import {
	commandsElsewhere,
	controlsElsewhere,
	controlsOfHome,
	eventsShown,
	kindsOf,
	textsElsewhere,
	topics,
} from "./kinds.ts";
import { html } from "./markup.ts";

const kinds = topics.flatMap((topic) => topic.kinds);
const pages = ["discord", "slack"].map((platform) => {
	const path = new URL(`../../../docs/gallery/${platform}.html`, import.meta.url);
	return { platform, page: readFileSync(path, "utf8") };
});

test("each golden scene is in the gallery, and each section has a scene", () => {
	expect([...new Set(kinds.map(({ scene }) => scene))].sort()).toEqual(Object.keys(golden).sort());
	expect(new Set(kinds.map(({ id }) => id)).size).toBe(kinds.length);
});

test("each topic of texts has posts in the gallery or an exemption with its reason", () => {
	const files = readdirSync(new URL("../../../packages/connector/src/texts/", import.meta.url));
	const names = files.filter((name) => !name.includes(".test.")).map((name) => name.replace(".ts", ""));
	const covered = [...topics.flatMap(({ texts }) => texts), ...Object.keys(textsElsewhere)];
	expect(covered.toSorted()).toEqual(names.toSorted());
});

test("each event that chats display is in the gallery or has a reason why not", () => {
	const displayed = eventNames.filter((name) => !(name in notDisplayed));
	expect(Object.keys(eventsShown).toSorted()).toEqual(displayed.toSorted());
	const sections = Object.values(eventsShown).flatMap((where) => ("in" in where ? [where.in] : []));
	const ids = kinds.map(({ id }) => id);
	expect(sections.filter((id) => !ids.includes(id))).toEqual([]);
});

test("each command is answered in a golden scene or has a reason why not", () => {
	const steps = JSON.stringify(Object.values(golden).flatMap((scene) => scene.steps));
	const isPlayed = (name: string): boolean => new RegExp(`(?:"/|!)${name}(?![ \\w]*[a-z-]"?:)`).test(steps);
	const missing = commandTable.map(({ name }) => name).filter((name) => !isPlayed(name));
	expect(missing.toSorted()).toEqual(Object.keys(commandsElsewhere).toSorted());
});

test.each(pages)("the gallery of $platform has all kinds of posts and controls", ({ platform, page }) => {
	const sections = [...page.matchAll(/<section id="([^"]+)">/g)].map(([, id]) => id);
	expect(sections).toEqual(kindsOf(platform).map(({ id }) => id));
	const elsewhere = [...controlsElsewhere, ...(platform === "slack" ? [] : controlsOfHome)];
	// The cast is safe because `Object.keys` returns the keys of this object.
	const expected = (Object.keys(controlKinds) as ControlKind[]).filter((kind) => !elsewhere.includes(kind));
	const shown = [...page.matchAll(/data-control="([^"]+)"/g)].map(([, kind]) => kind);
	expect([...new Set(shown)].sort()).toEqual(expected.sort());
});

test("the gallery of Discord has a color for each state of a card", () => {
	const [{ page } = { page: "" }] = pages;
	const colors = [...page.matchAll(/data-accent="(\d+)"/g)].map(([, color]) => color);
	expect(new Set(colors).size).toBe(CardState.options.length);
});

test.each(pages)("the gallery of $platform loads nothing and runs nothing", ({ page }) => {
	expect(page).not.toMatch(/<script|<link|<img|<iframe|\ssrc=|url\(|@import|\son\w+=|href="(?!#)/);
});

test("texts of posts are escaped", () => {
	const markdown = '<b>bold</b> & **<i>**\n\n```\n<script>\n```\n`</code>` [a](https://example.com/"x)';
	expect(drawMarkdown(markdown).text).not.toMatch(/<(?:script|i>)|<b>bold|<\/code><\/code>/);
	expect(html`<p title="${'"><'}">${"<p>&'"}</p>`.text).toBe(
		'<p title="&quot;&gt;&lt;">&lt;p&gt;&amp;&#39;</p>',
	);
});
