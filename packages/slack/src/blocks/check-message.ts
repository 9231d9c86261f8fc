import { defined, definedItems } from "@parley/base";
import type { FeedbackButtons } from "@slack/types";
import { limits } from "../vocabulary/limits.ts";
import type { BodyBlock } from "./body-blocks.ts";
import type { ControlBlock } from "./controls.ts";
import { isSeen } from "./marks.ts";
import { planLength, type StepsBlock } from "./plan-block.ts";
import { richTextLength } from "./rich-text.ts";
import { tableLength, tableProblem } from "./tables.ts";

type ShownBlock = BodyBlock | StepsBlock;
export type MessageBlock = ShownBlock | ControlBlock;
type Element = ControlBlock["elements"][number];
type Select = Extract<Element, { type: "static_select" | "multi_static_select" }>;

export interface OutgoingMessage {
	readonly blocks: readonly MessageBlock[];
	/** Text for notifications and screen readers. */
	readonly text: string;
}

/**
 * Descriptions of Slack's limits that a message exceeds, by the part of the message to change. Empty for a valid
 * message.
 */
export interface Violations {
	readonly body?: string;
	readonly controls?: string;
}

export function checkMessage({ blocks, text }: OutgoingMessage): Violations {
	const controls = controlsProblem(blocks.filter(isControls));
	const body = bodyProblem(blocks, text);
	return defined({ body, controls });
}

function isControls(block: MessageBlock): block is ControlBlock {
	return block.type === "actions" || block.type === "context_actions";
}

function elementsOf(rows: readonly ControlBlock[]): Element[] {
	return rows.flatMap<Element>((row) => row.elements);
}

function bodyProblem(blocks: readonly MessageBlock[], text: string): string | undefined {
	const shown = blocks.filter((block) => !isControls(block));
	const markdown = shown
		.filter(({ type }) => type === "markdown")
		.reduce((sum, one) => sum + lengthOf(one), 0);
	const total = shown.reduce((sum, block) => sum + lengthOf(block), labelsLength(blocks));
	const tables = shown.filter(({ type }) => type === "table").length;
	return (
		first([
			[isSeen(text), "the text of the message is empty"],
			[text.length <= limits.text, `the text has ${text.length} characters (maximum ${limits.text})`],
			[blocks.length <= limits.blocks, `the message has ${blocks.length} blocks (maximum ${limits.blocks})`],
			[
				markdown <= limits.markdown,
				`the markdown blocks have ${markdown} characters (maximum ${limits.markdown})`,
			],
			[total <= limits.blocksTotal, `the blocks have ${total} characters (maximum ${limits.blocksTotal})`],
			[tables <= limits.tables, `the message has ${tables} tables (maximum ${limits.tables})`],
		]) ?? firstProblem(shown, blockProblem)
	);
}

function blockProblem(block: ShownBlock): string | undefined {
	switch (block.type) {
		case "plan":
			return block.tasks.length >= 1 && block.title !== "" && block.tasks.every(({ title }) => title !== "")
				? undefined
				: "a plan has no steps, no title, or a step without a title";
		case "markdown":
			return block.text.trim() === "" ? "a markdown block is empty" : undefined;
		case "rich_text":
			return richTextLength(block) === 0 ? "a rich text block is empty" : undefined;
		case "table":
			return tableProblem(block);
		case "context":
			return first([
				[block.elements.length >= 1, "a context block is empty"],
				[
					block.elements.length <= limits.contextElements,
					`a context block has ${block.elements.length} elements (maximum ${limits.contextElements})`,
				],
				[
					lengthOf(block) <= limits.textObject,
					`a context block has ${lengthOf(block)} characters (maximum ${limits.textObject})`,
				],
			]);
		case "section":
			return lengthProblem("a section", [block.text?.text ?? ""], limits.textObject);
	}
}

function lengthOf(block: ShownBlock): number {
	switch (block.type) {
		case "plan":
			return planLength(block);
		case "markdown":
			return block.text.length;
		case "rich_text":
			return richTextLength(block);
		case "table":
			return tableLength(block.rows);
		case "section":
			return block.text?.text.length ?? 0;
		case "context":
			return block.elements.reduce((sum, one) => sum + ("text" in one ? one.text.length : 0), 0);
	}
}

/** Returns the length of all labels and options, because Slack's limit on the texts of a message includes them. */
function labelsLength(blocks: readonly MessageBlock[]): number {
	const elements: Element[] = elementsOf(blocks.filter(isControls));
	const labels = elements.flatMap((element) => {
		if (element.type === "button") return [element.text.text];
		if (element.type === "feedback_buttons") return ratings(element).map(({ text }) => text.text);
		if (element.type !== "static_select" && element.type !== "multi_static_select") return [];
		return (element.options ?? []).flatMap(({ text, description }) => [text.text, description?.text ?? ""]);
	});
	return labels.join("").length;
}

function ratings(element: FeedbackButtons): readonly FeedbackButtons["positive_button"][] {
	return [element.positive_button, element.negative_button];
}

function controlsProblem(rows: readonly ControlBlock[]): string | undefined {
	const elements: Element[] = elementsOf(rows);
	const ids = elements.map((element) => ("action_id" in element ? (element.action_id ?? "") : ""));
	const longest = Math.max(0, ...rows.map((row) => row.elements.length));
	return (
		first([
			[rows.every((row) => row.elements.length >= 1), "a row of controls is empty"],
			[
				longest <= limits.actionsElements,
				`a row has ${longest} controls (maximum ${limits.actionsElements})`,
			],
			[new Set(ids).size === ids.length, "two controls have the same id"],
		]) ??
		lengthProblem("the id of a control", ids, limits.actionId) ??
		firstProblem(elements, elementProblem)
	);
}

function elementProblem(element: Element): string | undefined {
	if (element.type === "button") {
		const { text, url } = element;
		const isAddressValid = url === undefined || (/^https?:\/\//.test(url) && within(url, limits.buttonUrl));
		return (
			lengthProblem(`the label "${text.text}"`, [text.text], limits.buttonText) ??
			(isAddressValid
				? undefined
				: `the address of the link "${text.text}" is not an http or https URL of at most ${limits.buttonUrl} characters`)
		);
	}
	if (element.type === "feedback_buttons") {
		const all = ratings(element);
		const labels = all.map(({ text }) => text.text);
		const values = all.map(({ value }) => value);
		return (
			lengthProblem("a label", labels, limits.buttonText) ??
			lengthProblem("the id of a control", values, limits.buttonValue)
		);
	}
	if (element.type === "static_select" || element.type === "multi_static_select")
		return selectProblem(element);
	return `the connector does not support the control "${element.type}"`;
}

function selectProblem(select: Select): string | undefined {
	const options = select.options ?? [];
	const values = options.map(({ value = "" }) => value);
	const texts = options.flatMap(({ text, description }) => definedItems([text.text, description?.text]));
	const placeholders = select.placeholder === undefined ? [] : [select.placeholder.text];
	return (
		first([
			[
				options.length >= 1 && options.length <= limits.options,
				`a menu has ${options.length} options (allowed: 1 to ${limits.options})`,
			],
			[new Set(values).size === values.length, "two options of a menu have the same value"],
		]) ??
		lengthProblem("the value of an option", values, limits.optionValue) ??
		lengthProblem("the text of an option", texts, limits.optionText) ??
		lengthProblem("the placeholder of a menu", placeholders, limits.placeholder)
	);
}

function first(rules: readonly (readonly [isMet: boolean, problem: string])[]): string | undefined {
	return rules.find(([isMet]) => !isMet)?.[1];
}

function firstProblem<T>(all: readonly T[], problemOf: (one: T) => string | undefined): string | undefined {
	for (const one of all) {
		const problem = problemOf(one);
		if (problem !== undefined) return problem;
	}
	return undefined;
}

function lengthProblem(name: string, texts: readonly string[], maximum: number): string | undefined {
	const bad = texts.find((text) => !within(text, maximum));
	return bad === undefined ? undefined : `${name} has ${bad.length} characters (allowed: 1 to ${maximum})`;
}

function within(text: string, maximum: number): boolean {
	return text !== "" && text.length <= maximum;
}
