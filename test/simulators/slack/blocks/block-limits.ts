import { insideOf, isPart, type Part } from "./block-text.ts";

/**
 * Limits of messages and modals that the published types do not contain:
 * https://docs.slack.dev/reference/block-kit/blocks, https://docs.slack.dev/reference/methods/chat.postMessage, and for
 * all blocks together bolt-js #2509.
 */
export const blockLimits = {
	text: 40_000,
	markdown: 12_000,
	allText: 13_200,
	blocksOfMessage: 50,
	blocksOfView: 100,
	tableRows: 100,
	tableColumns: 20,
	tableText: 10_000,
	metadata: 8000,
	viewBytes: 250_000,
} as const;

/** Returns the length in code points, which is Slack's unit. */
export function long(text: string): number {
	return [...text].length;
}

function all(blocks: readonly unknown[]): Part[] {
	const inside = (part: Part): Part[] => [part, ...insideOf(part).flatMap(inside)];
	return blocks.filter(isPart).flatMap(inside);
}

/**
 * Returns the faults that the published types do not exclude. `maximum` is the maximum number of top-level
 * blocks.
 */
export function faultsOfBlocks(blocks: readonly unknown[], maximum: number): string[] {
	const parts = all(blocks);
	const faults: string[] = [];
	if (blocks.length > maximum) faults.push(`blocks: ${blocks.length} are more than ${maximum}`);
	const markdown = parts.filter(({ type }) => type === "markdown").map(({ text }) => String(text));
	if (long(markdown.join("")) > blockLimits.markdown)
		faults.push(`markdown: more than ${blockLimits.markdown} characters in all`);
	for (const name of ["block_id", "action_id"]) {
		const ids = parts.flatMap((part) => (typeof part[name] === "string" ? [part[name]] : []));
		for (const id of ids) if (id === "" || long(id) > 255) faults.push(`${name}: 1 to 255 characters`);
		if (new Set(ids).size < ids.length) faults.push(`${name}: not unique`);
	}
	return [
		...faults,
		...parts.flatMap(faultsOfPart),
		...parts.flatMap(faultsOfPlan),
		...faultsOfTables(blocks),
	];
}

const holders = new Set(["actions", "context", "context_actions"]);

function faultsOfPart(part: Part): string[] {
	const { type, text } = part;
	const faults: string[] = [];
	if ((type === "mrkdwn" || type === "plain_text") && text === "") faults.push(`${type}: must not be empty`);
	if (type === "markdown" && text === "") faults.push("markdown: must not be empty");
	if (type === "section" && part["text"] === undefined && part["fields"] === undefined)
		faults.push("section: text or fields");
	if (holders.has(type ?? "") && insideOf(part["elements"]).length === 0) faults.push(`${type}: no elements`);
	if (type === "overflow" && !between(part["options"], 1, 5)) faults.push("overflow: 1 to 5 options");
	if (type === "static_select" || type === "multi_static_select") faults.push(...faultsOfChoice(part));
	return faults;
}

/**
 * Returns the faults of a plan block and its task cards:
 * https://docs.slack.dev/reference/block-kit/blocks/plan-block and task-card-block
 */
function faultsOfPlan({ type, title, tasks }: Part): string[] {
	if (type !== "plan") return [];
	const cards = insideOf([tasks ?? []]);
	const ids = cards.map(({ task_id: id }) => id);
	const isUntitled = [title, ...cards.map((card) => card["title"])].some(
		(one) => one === "" || one === undefined,
	);
	return [
		...(isUntitled ? ["plan: title is missing"] : []),
		...(new Set(ids).size < ids.length ? ["plan: task_id is not unique"] : []),
	];
}

function between(value: unknown, least: number, maximum: number): boolean {
	return Array.isArray(value) && value.length >= least && value.length <= maximum;
}

function faultsOfChoice(part: Part): string[] {
	const both = part["options"] !== undefined && part["option_groups"] !== undefined;
	const fits = between(part["options"] ?? part["option_groups"], 1, 100);
	if (both || !fits) return [`${String(part.type)}: 1 to 100 options, or groups of them`];
	const [initial] = insideOf([part["initial_option"]]);
	const options = insideOf([part["options"] ?? []]);
	const known = options.some(({ value }) => value === initial?.["value"]);
	return initial && options.length > 0 && !known ? ["initial_option: is none of the options"] : [];
}

/**
 * Returns the faults of tables. The text limit applies to all tables together:
 * https://docs.slack.dev/reference/block-kit/blocks/table-block
 */
function faultsOfTables(blocks: readonly unknown[]): string[] {
	const tables = blocks.filter(isPart).filter(({ type }) => type === "table");
	const text = tables.flatMap((table) =>
		all([table]).flatMap((part) => (typeof part["text"] === "string" ? [part["text"]] : [])),
	);
	const faults = long(text.join("")) > blockLimits.tableText ? ["table: more than 10000 characters"] : [];
	for (const { rows } of tables) {
		const lines: unknown[] = Array.isArray(rows) ? rows : [];
		if (!between(lines, 1, blockLimits.tableRows)) faults.push("table: 1 to 100 rows");
		if (lines.some((cells) => !between(cells, 1, blockLimits.tableColumns)))
			faults.push("table: 1 to 20 columns");
	}
	return faults;
}

/** Returns the length of the texts and titles in blocks, to which the error `msg_blocks_too_long` applies. */
export function textLength(blocks: readonly unknown[]): number {
	const texts = all(blocks).flatMap(({ text, title }) => [text, title]);
	return texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? long(text) : 0), 0);
}
