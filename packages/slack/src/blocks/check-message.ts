import { defined } from "@parley/base";
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

/** Limits of Slack that a message violates, by the part to change. Empty for a valid message. */
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
			[isSeen(text), "the message is empty"],
			[text.length <= limits.text, `the text has ${text.length} characters`],
			[blocks.length <= limits.blocks, `there are ${blocks.length} blocks`],
			[markdown <= limits.markdown, `the markdown blocks have ${markdown} characters`],
			[total <= limits.blocksTotal, `the blocks have ${total} characters`],
			[tables <= limits.tables, `there are ${tables} tables`],
		]) ?? firstProblem(shown, blockProblem)
	);
}

function blockProblem(block: ShownBlock): string | undefined {
	switch (block.type) {
		case "plan":
			return block.tasks.length >= 1 && block.title !== "" && block.tasks.every(({ title }) => title !== "")
				? undefined
				: "a plan has no steps or an empty title";
		case "markdown":
			return block.text.trim() === "" ? "a markdown block is empty" : undefined;
		case "rich_text":
			return richTextLength(block) === 0 ? "a rich text block is empty" : undefined;
		case "table":
			return tableProblem(block);
		case "context":
			return first([
				[block.elements.length >= 1, "a context block is empty"],
				[block.elements.length <= limits.contextElements, "a context block has too many elements"],
				[lengthOf(block) <= limits.textObject, `a context block has ${lengthOf(block)} characters`],
			]);
		case "section":
			return within(block.text?.text ?? "", limits.textObject) ? undefined : "a section is empty or too long";
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

/** Returns the total characters of labels and options, which are part of Slack's limit on all texts of a message. */
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
	return (
		first([
			[rows.every((row) => row.elements.length >= 1), "a row of controls is empty"],
			[rows.every((row) => row.elements.length <= limits.actionsElements), "a row has too many controls"],
			[new Set(ids).size === ids.length, "two controls have the same id"],
			[ids.every((id) => within(id, limits.actionId)), "the id of a control is empty or too long"],
		]) ?? firstProblem(elements, elementProblem)
	);
}

function elementProblem(element: Element): string | undefined {
	if (element.type === "button") {
		const { text, url } = element;
		return first([
			[within(text.text, limits.buttonText), `the label "${text.text}" is empty or too long`],
			[
				url === undefined || (/^https?:\/\//.test(url) && within(url, limits.buttonUrl)),
				"the address of a link is invalid",
			],
		]);
	}
	if (element.type === "feedback_buttons") {
		const all = ratings(element);
		return first([
			[all.every(({ text }) => within(text.text, limits.buttonText)), "a label is empty or too long"],
			[
				all.every(({ value }) => within(value, limits.buttonValue)),
				"the id of a control is empty or too long",
			],
		]);
	}
	if (element.type === "static_select" || element.type === "multi_static_select")
		return selectProblem(element);
	return `a ${element.type} is not supported`;
}

function selectProblem(select: Select): string | undefined {
	const options = select.options ?? [];
	const values = options.map(({ value = "" }) => value);
	return first([
		[options.length >= 1 && options.length <= limits.options, `there are ${options.length} options`],
		[new Set(values).size === values.length, "two options have the same value"],
		[
			values.every((value) => within(value, limits.optionValue)),
			"the value of an option is empty or too long",
		],
		[
			options.every(
				({ text, description }) =>
					within(text.text, limits.optionText) &&
					(description === undefined || within(description.text, limits.optionText)),
			),
			"the text of an option is empty or too long",
		],
		[
			select.placeholder === undefined || within(select.placeholder.text, limits.placeholder),
			"the placeholder is empty or too long",
		],
	]);
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

function within(text: string, maximum: number): boolean {
	return text !== "" && text.length <= maximum;
}
