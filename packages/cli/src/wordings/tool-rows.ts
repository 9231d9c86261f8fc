import type { ToolCallPayload } from "@parley/protocol";
import { shorten } from "../text/shorten.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { expandTabs } from "../text/wrap.ts";
import { eventTexts } from "../texts/events.ts";

type Started = Extract<ToolCallPayload, { status: "started" }>;
type Ended = Exclude<ToolCallPayload, Started>;

const maxResultRows = 5;
/** Maximum width of a row, even without a terminal. */
const maxColumns = 200;

/** One row with the tool and its arguments. A mark shows that the channel is trusted and no approval was needed. */
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
 * Beginning of a tool's result: `maxRows` lines and the number of further lines, or all lines if at most one is left.
 * If several tools run at the same time, `named` adds the name of the tool.
 */
export function toolEndRows(
	ended: Ended,
	named: boolean,
	{ columns, styles }: OutputFormat,
	maxRows = maxResultRows,
): string[] {
	const width = Math.min(columns, maxColumns);
	const failed = ended.status === "failed";
	const text = visibleText(failed ? ended.error : ended.result).trimEnd();
	const lines = text === "" ? ["(nothing)"] : text.split("\n");
	const hidden = lines.length - maxRows;
	// A row that replaces hidden lines is only used for at least two hidden lines.
	const shown = hidden > 1 ? lines.slice(0, maxRows) : lines;
	const name = named ? `${visibleLine(ended.name)}: ` : "";
	const rows = shown.map((line, index) => {
		const first = `  ${failed ? "✗" : "↳"} ${name}`;
		return shorten(`${index === 0 ? first : "    "}${expandTabs(line)}`, width);
	});
	const more = hidden > 1 ? [`    … ${eventTexts.moreLines({ count: hidden })}`] : [];
	return [...rows, ...more].map(failed ? styles.red : styles.dim);
}

/** Arguments for people, without JSON quotes, for example `path: notes.txt, content: …`. */
function describeArguments(args: unknown): string {
	if (typeof args !== "object" || args === null || Array.isArray(args)) return describeValue(args);
	return Object.entries(args)
		.map(([name, value]) => `${visibleLine(name)}: ${describeValue(value)}`)
		.join(", ");
}

function describeValue(value: unknown): string {
	return visibleLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}
