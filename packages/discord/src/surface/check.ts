import { postTexts } from "../texts/post.ts";
import { lengthOf, limits } from "../vocabulary/limits.ts";

/** Content of a message to create or edit. */
export interface Draft {
	readonly content: string;
	/** Rows of buttons and choices in Discord's format. */
	readonly components: readonly ComponentRow[];
	readonly files: readonly DraftFile[];
	/** Container of the content and the components. Must be undefined for a message with files. */
	readonly container?: Container | undefined;
}

export interface Container {
	/** Accent colour from 0 to 0xffffff, or null for no colour. */
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
			/** A standard emoji, which has no id: resources/emoji#emoji-object */
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

/** Limits of Discord that a message violates, by part of the message. Empty for a valid message. */
export interface Violations {
	readonly content?: string;
	readonly components?: string;
	readonly files?: string;
}

export function checkDraft({ content, components, files, container }: Draft): Violations {
	const length = lengthOf(content);
	const maximum = container ? limits.componentText : limits.content;
	const wrong = {
		content: first([
			[length <= maximum, `the content has ${length} characters (maximum ${maximum})`],
			[content.trim() !== "" || files.length > 0, "the content is empty"],
		]),
		components: componentsProblem(components) ?? (container && containerProblem(components)),
		files:
			container && files.length > 0 ? "a message with a container cannot have files" : filesProblem(files),
	};
	return Object.fromEntries(Object.entries(wrong).filter(([, problem]) => problem !== undefined));
}

function containerProblem(rows: readonly ComponentRow[]): string | undefined {
	// The count includes the container, its text, and each row with its controls.
	const count = rows.reduce((sum, { components }) => sum + 1 + components.length, 2);
	return count <= limits.componentsInAll
		? undefined
		: `the message has ${count} components (maximum ${limits.componentsInAll})`;
}

/** Returns the problem of a thread name, or undefined for a valid name. */
export function threadNameProblem(name: string): string | undefined {
	return lengthProblem("the name of the thread", [name], limits.threadName);
}

function first(rules: readonly (readonly [isMet: boolean, problem: string])[]): string | undefined {
	return rules.find(([isMet]) => !isMet)?.[1];
}

function filesProblem(files: readonly DraftFile[]): string | undefined {
	const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
	const large = files.find(({ bytes }) => bytes.length > limits.fileBytes);
	const { attachmentName: nameMaximum, attachmentDescription: descriptionMaximum } = limits;
	const unnamed = files.find(({ name }) => !within(name, nameMaximum));
	const described = Math.max(0, ...files.map(({ description }) => lengthOf(description)));
	return first([
		[
			files.length <= limits.attachments,
			postTexts.tooManyFiles({ count: files.length, maximum: limits.attachments }),
		],
		[large === undefined, large === undefined ? "" : fileProblem(large)],
		[total < limits.requestBytes, postTexts.filesTooLarge({ bytes: total, maximum: limits.requestBytes })],
		[
			unnamed === undefined,
			postTexts.fileName({ length: lengthOf(unnamed?.name ?? ""), maximum: nameMaximum }),
		],
		[
			described <= descriptionMaximum,
			postTexts.fileDescription({ length: described, maximum: descriptionMaximum }),
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
			[
				rows.length <= limits.rows,
				`the message has ${rows.length} rows of controls (maximum ${limits.rows})`,
			],
			[new Set(ids).size === ids.length, "two controls have the same id"],
		]) ??
		lengthProblem("the id of a control", ids, limits.customId) ??
		rows.map(rowProblem).find((problem) => problem !== undefined)
	);
}

function rowProblem({ components }: ComponentRow): string | undefined {
	const choices = components.filter(({ type }) => type === 3);
	const maximum = choices.length > 0 ? 1 : limits.buttonsPerRow;
	return (
		first([
			[components.length >= 1, "a row of controls is empty"],
			[components.length <= maximum, `a row has ${components.length} controls (maximum ${maximum})`],
		]) ?? components.map(componentProblem).find((problem) => problem !== undefined)
	);
}

function componentProblem(one: Component): string | undefined {
	if (one.type === 3) return choiceProblem(one);
	const isAddressValid =
		!("url" in one) || (/^https?:\/\//.test(one.url) && within(one.url, limits.buttonUrl));
	return (
		lengthProblem(`the label "${one.label}"`, [one.label], limits.buttonLabel) ??
		(isAddressValid
			? undefined
			: `the address of the link "${one.label}" is not an http or https URL of at most ${limits.buttonUrl} characters`)
	);
}

function choiceProblem(choice: Extract<Component, { type: 3 }>): string | undefined {
	const { options, min_values, max_values, placeholder = "" } = choice;
	const values = new Set(options.map(({ value }) => value));
	const isInRange = min_values >= 0 && max_values >= 1 && min_values <= max_values;
	const texts = options.flatMap(({ value, label, description = "-" }) => [value, label, description]);
	return (
		first([
			[
				options.length >= 1 && options.length <= limits.options,
				`a menu has ${options.length} options (allowed: 1 to ${limits.options})`,
			],
			[values.size === options.length, "two options of a menu have the same value"],
			[
				lengthOf(placeholder) <= limits.placeholder,
				`the placeholder of a menu has ${lengthOf(placeholder)} characters (maximum ${limits.placeholder})`,
			],
			[
				isInRange && max_values <= options.length,
				`the choices of a menu (${min_values} to ${max_values}) do not match its number of options (${options.length})`,
			],
		]) ?? lengthProblem("the text of an option", texts, limits.optionText)
	);
}

function lengthProblem(name: string, texts: readonly string[], maximum: number): string | undefined {
	const bad = texts.find((text) => !within(text, maximum));
	return bad === undefined ? undefined : `${name} has ${lengthOf(bad)} characters (allowed: 1 to ${maximum})`;
}

function within(text: string, maximum: number): boolean {
	return text !== "" && lengthOf(text) <= maximum;
}
