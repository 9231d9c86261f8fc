import { defined } from "@parley/base";
import { type CardState, type Control, fileTooLarge } from "@parley/connector";
import { postTexts } from "../texts/post.ts";
import { cutTo, lengthOf, limits } from "../vocabulary/limits.ts";
import {
	type Component,
	type ComponentRow,
	type Container,
	checkDraft,
	type Draft,
	type DraftFile,
} from "./check.ts";

/** Content to show: text in Discord's Markdown, controls and files. */
export interface Showing {
	readonly body: string;
	readonly controls?: readonly (readonly Control[])[];
	readonly files: readonly DraftFile[];
	readonly state?: CardState | undefined;
}

export interface Drafted {
	readonly draft: Draft;
	/** Reasons why parts were left out or shortened, for the log. */
	readonly omitted: readonly string[];
}

const completeText = "message.md";
const reserved = 1800;
const fence = "\n```";

/** Reasons why Discord refused the files of a post. */
export const fileRefusals = ["permission", "size", "contents"] as const;
export type FileRefusal = (typeof fileRefusals)[number];

/**
 * Returns the message for the content. Leaves out the controls or the files if Discord would refuse them. If the
 * text is too long, the complete text becomes a file, and the message contains the beginning of the text.
 */
export function draftOf(showing: Showing): Drafted {
	const { body, controls = [] } = showing;
	const components = componentsOf(controls);
	const container = containerOf(showing);
	const fullDraft = { content: body, components, files: showing.files, container };
	const { content: long, components: refused, files: tooMuch } = checkDraft(fullDraft);
	if ((long ?? refused ?? tooMuch) === undefined) return { draft: fullDraft, omitted: [] };
	const files = tooMuch === undefined ? showing.files : [];
	const { length: count } = showing.files;
	const without = tooMuch === undefined ? "" : `\n-# ${postTexts.filesLeftOut({ count, problem: tooMuch })}`;
	const text = `${body}${refused === undefined ? "" : linksAsText(controls)}${without}`;
	const draft = {
		content: text,
		components: refused === undefined ? components : [],
		files,
		container: containerOf({ ...showing, body: text, files }),
	};
	const { content: tooLong } = checkDraft(draft);
	const omitted = [refused, tooMuch, tooLong].filter((problem) => problem !== undefined);
	return { draft: tooLong === undefined || text.trim() === "" ? draft : shortened(draft), omitted };
}

const accents: Readonly<Record<CardState, number>> = {
	waiting: 0xf0_b2_32,
	working: 0x58_65_f2,
	done: 0x23_a5_5a,
	failed: 0xf2_3f_43,
	closed: 0x80_84_8e,
	warning: 0xe6_7e_22,
	notice: 0x00_a8_fc,
};

/**
 * Returns the container of a card with a state. A card has no container if it has files or if its text is empty or
 * too long: components/reference#container
 */
function containerOf({ body, files, state }: Showing): Container | undefined {
	const fits = files.length === 0 && body.trim() !== "" && lengthOf(body) <= limits.componentText;
	return state !== undefined && fits ? { accent: accents[state] } : undefined;
}

/** Returns the draft without files and container. Appends the reason to the text, and shortens a long text. */
export function withoutFiles({ content, components, files }: Draft, why: FileRefusal): Draft {
	const noFiles = `\n-# ${cutTo(whyWithout(files, why), longestReason)}`;
	const maximum = limits.content - lengthOf(noFiles);
	return { content: `${shortTo(content, maximum)}${noFiles}`, components, files: [] };
}

function shortTo(text: string, maximum: number): string {
	return lengthOf(text) <= maximum ? text : withClosedFence(cutTo(text, maximum - lengthOf(fence)));
}

const longestReason = 600;

function whyWithout(files: readonly DraftFile[], why: FileRefusal): string {
	switch (why) {
		case "permission":
			return postTexts.mayNotAttach({ count: files.length });
		case "size":
			return files
				.map(({ name, bytes }) => fileTooLarge({ name, size: bytes.length }, postTexts.thisChannel))
				.join(" ");
		case "contents":
			return postTexts.filesRefused({ names: files.map(({ name }) => name) });
	}
}

/**
 * Returns simpler forms of the message, in the order in which they are tried after a refusal. `plain` replaces the
 * body, except in a first form that only omits the files.
 */
export function fallbackDrafts(
	draft: Draft,
	{
		why,
		plain,
		edits,
	}: { readonly why: FileRefusal; readonly plain: string | undefined; readonly edits: boolean },
): Draft[] {
	const bare = draft.files.length > 0 ? withoutFiles(draft, why) : draft;
	const { components } = draft;
	const fallbacks = draft.files.length > 0 ? [bare] : [];
	const content = plain ?? bare.content;
	const { container } = draft;
	if (plain !== undefined) fallbacks.push({ content, components, files: [], container });
	if (components.length > 0) fallbacks.push({ content, components: [], files: [], container });
	if (container) fallbacks.push({ content: shortTo(content, limits.content), components, files: [] });
	// A message with the `componentsV2` flag must keep it.
	else if (edits) fallbacks.push({ content, components, files: [], container: { accent: null } });
	return fallbacks;
}

function shortened({ content, components, files }: Draft): Draft {
	const bytes = new TextEncoder().encode(content);
	const file = { name: completeText, bytes, description: postTexts.completeMessageFile };
	return {
		content: `${withClosedFence(cutTo(content, reserved))}\n-# ${postTexts.completeText({ name: completeText })}`,
		components,
		files: [...files.slice(0, limits.attachments - 1), file],
	};
}

function withClosedFence(text: string): string {
	const isOpen = (text.match(/^(?:> )?```/gm)?.length ?? 0) % 2 === 1;
	return isOpen ? `${text}${fence}` : text;
}

const styles = { primary: 1, secondary: 2, success: 3, danger: 4 } as const;

function componentsOf(rows: readonly (readonly Control[])[]): ComponentRow[] {
	// A row has up to five buttons, or one choice.
	return rows.flatMap(rowsOf);
}

function rowsOf(controls: readonly Control[]): ComponentRow[] {
	const rows: Component[][] = [];
	for (const control of controls) {
		const last = rows.at(-1);
		const fits = last !== undefined && last.length < limits.buttonsPerRow && last[0]?.type === 2;
		if (fits && control.type !== "choice") last.push(componentOf(control));
		else rows.push([componentOf(control)]);
	}
	return rows.map((components) => ({ type: 1, components }));
}

function componentOf(control: Control): Component {
	if (control.type === "choice") return choiceOf(control);
	const label = cutTo(control.label, limits.buttonLabel);
	if (control.type === "link") return { type: 2, style: 5, label, url: control.url };
	const { id, emoji } = control;
	const shown = emoji === undefined ? {} : { emoji: { name: emoji } };
	return { type: 2, style: styles[control.style], label, custom_id: id, ...shown };
}

function choiceOf(choice: Extract<Control, { type: "choice" }>): Component {
	const options = choice.options.slice(0, limits.options).map(({ value, label, description, chosen }) =>
		defined({
			// The value is not cut, because Discord returns it, and a cut value would mean something else.
			value,
			label: cutTo(label === "" ? value : label, limits.optionText),
			default: chosen,
			description: description === "" ? undefined : cutTo(description, limits.optionText),
		}),
	);
	const maximum = Math.min(choice.maximum, options.length);
	return defined({
		type: 3 as const,
		custom_id: choice.id,
		options,
		max_values: maximum,
		min_values: Math.min(choice.minimum, maximum),
		placeholder: choice.placeholder === "" ? undefined : cutTo(choice.placeholder, limits.placeholder),
	});
}

function linksAsText(rows: readonly (readonly Control[])[]): string {
	const links = rows.flat().filter((control) => control.type === "link");
	return links.map(({ label, url }) => `\n${label}: <${url}>`).join("");
}
