import { definedItems } from "@parley/base";
import type { ToolCallPayload } from "@parley/protocol";
import type { OutputFormat } from "../text/styles.ts";
import { visibleOutput } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { detailTexts } from "../texts/chat/live.ts";

/**
 * Maximum number of entries, and maximum number of characters in all entries together. The oldest entries are dropped
 * first, and the newest entry always stays.
 */
const maxEntries = 200;
const maxCharacters = 2_000_000;

interface Entry {
	readonly title: string;
	readonly text: string;
}

type Ended = Exclude<ToolCallPayload, { status: "started" }>;

/** Thinking and tool calls at full length. The transcript shows only a part of them. */
export class Details {
	#entries: readonly Entry[] = [];
	/**
	 * Rows of all entries. Cached, because the pager needs the rows for each key, and wrapping long texts is slow.
	 */
	#laidOut: { readonly format: OutputFormat; readonly rows: readonly string[] } | undefined;

	get count(): number {
		return this.#entries.length;
	}

	addThinking(text: string): void {
		this.#add({ title: detailTexts.thinking, text });
	}

	addCall(call: Ended, args: unknown): void {
		const { name } = call;
		const isFailed = call.status === "failed";
		const given = args === undefined ? [] : [detailTexts.arguments, JSON.stringify(args, undefined, 2), ""];
		const ending = isFailed ? [detailTexts.error, call.error] : [detailTexts.result, call.result];
		const title = isFailed ? detailTexts.failed({ name }) : detailTexts.call({ name });
		this.#add({ title, text: [...given, ...ending].join("\n") });
	}

	rows(format: OutputFormat): readonly string[] {
		const known = this.#laidOut;
		if (known?.format.columns === format.columns && known.format.styles === format.styles) return known.rows;
		const rows = this.#entries.flatMap((entry, index) =>
			definedItems([index === 0 ? undefined : "", ...entryRows(entry, format)]),
		);
		this.#laidOut = { format, rows };
		return rows;
	}

	/**
	 * Returns the rows of one entry, or undefined if the entry does not exist. `place` counts backwards from 1, the
	 * last entry.
	 */
	rowsOf(place: number, format: OutputFormat): string[] | undefined {
		const entry = this.#entries.at(-place);
		return entry && entryRows(entry, format);
	}

	#add(entry: Entry): void {
		this.#laidOut = undefined;
		const all = [...this.#entries, entry].slice(-maxEntries);
		let characters = 0;
		const tooOld = all.findLastIndex(({ text }) => {
			characters += text.length;
			return characters > maxCharacters;
		});
		this.#entries = all.slice(Math.min(tooOld + 1, all.length - 1));
	}
}

function entryRows({ title, text }: Entry, { columns, styles }: OutputFormat): string[] {
	const rows = wrapText(visibleOutput(text).trimEnd(), columns);
	return [...wrapText(visibleOutput(title), columns).map(styles.bold), ...rows];
}
