import type { ToolCallPayload } from "@parley/protocol";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine, visibleOutput } from "../text/visible.ts";
import { expandTabs, widthOf } from "../text/wrap.ts";
import { eventTexts } from "../texts/events.ts";

type Started = Extract<ToolCallPayload, { status: "started" }>;
type Ended = Exclude<ToolCallPayload, Started>;

const maxResultRows = 5;
/** Maximum width of a row, even without a terminal. */
const maxColumns = 200;

/**
 * Returns one row with the tool and its arguments. A mark shows that the channel is trusted and no approval was
 * needed.
 */
export function toolStartRow(
	{ name, arguments: args, trusted }: Started,
	{ columns, styles }: OutputFormat,
): string {
	const call = `▸ ${visibleLine(name)} `;
	const badge = trusted ? " · trusted" : "";
	const width = Math.min(columns, maxColumns) - call.length - badge.length;
	const argumentsText = styles.dim(shorten(describeArguments(args), width));
	return `${styles.cyan(call.trimEnd())} ${argumentsText}${badge === "" ? "" : styles.yellow(badge)}`;
}

/**
 * Returns the beginning of a tool's result: `maxRows` lines and the number of further lines, or all lines if the
 * result has at most `maxRows + 1` lines. `named`: whether the first row contains the name of the tool.
 */
export function toolEndRows(
	ended: Ended,
	named: boolean,
	{ columns, styles }: OutputFormat,
	maxRows = maxResultRows,
): string[] {
	const { lines, hidden } = resultLines(ended, named, maxRows);
	const width = Math.min(columns, maxColumns);
	const more = hidden > 0 ? [`    … ${eventTexts.moreLines({ count: hidden })}`] : [];
	const rows = [...lines.map((line) => shorten(line, width)), ...more];
	return rows.map(ended.status === "failed" ? styles.red : styles.dim);
}

/** Whether `toolEndRows` with the same arguments shows only a part of the result. */
export function hidesResult(
	ended: Ended,
	named: boolean,
	{ columns }: OutputFormat,
	maxRows = maxResultRows,
): boolean {
	const { lines, hidden } = resultLines(ended, named, maxRows);
	return hidden > 0 || lines.some((line) => widthOf(line) > Math.min(columns, maxColumns));
}

function resultLines(
	ended: Ended,
	named: boolean,
	maxRows: number,
): { readonly lines: readonly string[]; readonly hidden: number } {
	const failed = ended.status === "failed";
	const text = visibleOutput(failed ? ended.error : ended.result).trimEnd();
	const all = text === "" ? ["(nothing)"] : text.split("\n");
	// A row that replaces hidden lines is only used for at least two hidden lines.
	const shown = all.length > maxRows + 1 ? all.slice(0, maxRows) : all;
	const first = `  ${failed ? "✗" : "↳"} ${named ? `${visibleLine(ended.name)}: ` : ""}`;
	const lines = shown.map((line, index) => `${index === 0 ? first : "    "}${expandTabs(line)}`);
	return { lines, hidden: all.length - shown.length };
}

/** Returns the arguments without JSON quotes, for example `path: notes.txt, content: …`. */
function describeArguments(args: unknown): string {
	if (typeof args !== "object" || args === null || Array.isArray(args)) return describeValue(args);
	return Object.entries(args)
		.map(([name, value]) => `${visibleLine(name)}: ${describeValue(value)}`)
		.join(", ");
}

function describeValue(value: unknown): string {
	return visibleLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}
