import { postTexts } from "../texts/post.ts";
import { lengthOf, limits } from "../vocabulary/limits.ts";

/** Content of a message to create or edit. */
export interface Draft {
	readonly content: string;
	/** Rows of buttons and choices in Discord's format. */
	readonly components: readonly ComponentRow[];
	readonly files: readonly DraftFile[];
	/**
	 * Container that shows the content and the components, with an accent colour from 0 to 0xffffff, or null. Not allowed with
	 * files.
	 */
	readonly container?: Container | undefined;
}

export interface Container {
	readonly accent: number | null;
}

export interface DraftFile {
	readonly name: string;
	readonly bytes: Uint8Array;
	/** Alternative text of the file. */
	readonly description: string;
}

export interface ComponentRow {
	readonly type: 1;
	readonly components: readonly Component[];
}

export type Component =
	| {
			readonly type: 2;
			readonly style: 1 | 2 | 3 | 4;
			readonly label: string;
			readonly custom_id: string;
			/** A standard emoji has no id: resources/emoji#emoji-object */
			readonly emoji?: { readonly name: string };
	  }
	| { readonly type: 2; readonly style: 5; readonly label: string; readonly url: string }
	| {
			readonly type: 3;
			readonly custom_id: string;
			readonly placeholder?: string;
			readonly min_values: number;
			readonly max_values: number;
			readonly options: readonly {
				readonly value: string;
				readonly label: string;
				readonly description?: string;
				readonly default: boolean;
			}[];
	  };

/** Violated limits of Discord, by part of the message. Empty for a valid message. */
export interface Violations {
	readonly content?: string;
	readonly components?: string;
	readonly files?: string;
}

export function checkDraft({ content, components, files, container }: Draft): Violations {
	const length = lengthOf(content);
	const wrong = {
		content: first([
			[length <= (container ? limits.componentText : limits.content), `the content has ${length} characters`],
			[content.trim() !== "" || files.length > 0, "the content is empty"],
		]),
		components: componentsProblem(components) ?? (container && containerProblem(components)),
		files: container && files.length > 0 ? "a container has files" : filesProblem(files),
	};
	return Object.fromEntries(Object.entries(wrong).filter(([, problem]) => problem !== undefined));
}

function containerProblem(rows: readonly ComponentRow[]): string | undefined {
	// The count includes the container, its text, and each row with its controls.
	const count = rows.reduce((sum, { components }) => sum + 1 + components.length, 2);
	return count <= limits.componentsInAll ? undefined : `there are ${count} components`;
}

/** Returns the problem of a thread name, or undefined for a valid name. */
export function threadNameProblem(name: string): string | undefined {
	const length = lengthOf(name);
	return length >= 1 && length <= limits.threadName ? undefined : `the name has ${length} characters`;
}

function first(rules: readonly (readonly [isMet: boolean, problem: string])[]): string | undefined {
	return rules.find(([isMet]) => !isMet)?.[1];
}

function filesProblem(files: readonly DraftFile[]): string | undefined {
	const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
	const large = files.find(({ bytes }) => bytes.length > limits.fileBytes);
	return first([
		[
			files.length <= limits.attachments,
			postTexts.tooManyFiles({ count: files.length, maximum: limits.attachments }),
		],
		[large === undefined, large === undefined ? "" : fileProblem(large)],
		[total < limits.requestBytes, postTexts.filesTooLarge({ bytes: total, maximum: limits.requestBytes })],
		[files.every(({ name }) => within(name, limits.attachmentName)), postTexts.fileNameTooLong],
		[
			files.every(({ description }) => lengthOf(description) <= limits.attachmentDescription),
			postTexts.fileDescriptionTooLong,
		],
	]);
}

function fileProblem({ name, bytes }: DraftFile): string {
	return postTexts.fileTooLarge({ name, bytes: bytes.length, maximum: limits.fileBytes });
}

function componentsProblem(rows: readonly ComponentRow[]): string | undefined {
	const ids = rows.flatMap(({ components }) =>
		components.flatMap((one) => ("custom_id" in one ? [one.custom_id] : [])),
	);
	return (
		first([
			[rows.length <= limits.rows, `there are ${rows.length} rows`],
			[new Set(ids).size === ids.length, "two controls have the same id"],
			[ids.every((id) => within(id, limits.customId)), "the id of a control is empty or too long"],
		]) ?? rows.map(rowProblem).find((problem) => problem !== undefined)
	);
}

function rowProblem({ components }: ComponentRow): string | undefined {
	const choices = components.filter(({ type }) => type === 3);
	const maximum = choices.length > 0 ? 1 : limits.buttonsPerRow;
	return (
		first([
			[components.length >= 1, "a row is empty"],
			[components.length <= maximum, `a row has ${components.length} controls`],
		]) ?? components.map(componentProblem).find((problem) => problem !== undefined)
	);
}

function componentProblem(one: Component): string | undefined {
	if (one.type === 3) return choiceProblem(one);
	return first([
		[within(one.label, limits.buttonLabel), `the label "${one.label}" is empty or too long`],
		[
			!("url" in one) || (/^https?:\/\//.test(one.url) && within(one.url, limits.buttonUrl)),
			"the address of a link is invalid",
		],
	]);
}

function choiceProblem(choice: Extract<Component, { type: 3 }>): string | undefined {
	const { options, min_values, max_values, placeholder = "" } = choice;
	const values = new Set(options.map(({ value }) => value));
	return first([
		[options.length >= 1 && options.length <= limits.options, `there are ${options.length} options`],
		[values.size === options.length, "two options have the same value"],
		[lengthOf(placeholder) <= limits.placeholder, "the placeholder is too long"],
		[min_values >= 0 && max_values >= 1, "the minimum number of chosen options is invalid"],
		[
			min_values <= max_values && max_values <= options.length,
			"the maximum number of chosen options is invalid",
		],
		[
			options.every(
				({ value, label, description = "-" }) =>
					within(value, limits.optionText) &&
					within(label, limits.optionText) &&
					within(description, limits.optionText),
			),
			"the text of an option is empty or too long",
		],
	]);
}

function within(text: string, maximum: number): boolean {
	return text !== "" && lengthOf(text) <= maximum;
}
