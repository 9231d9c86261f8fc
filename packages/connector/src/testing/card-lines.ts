import { toRows } from "../conversation/to-rows.ts";
import type { Scene } from "../conversation/vocabulary/reducer.ts";
import type { ShowOperation } from "../conversation/vocabulary/render-operation.ts";
import type { PostFormat } from "../platform/chat-platform.ts";
import { columnsOf } from "../text/columns.ts";
import { seenColumns } from "../text/seen-columns.ts";

const columns = 80;

export type LinePlatform = Scene["platform"] & PostFormat;

/**
 * Returns the lines of a card in a window with 80 columns: its mentions, and its text without fences. Each row of
 * controls is one line.
 */
export function renderCardLines(post: ShowOperation, platform: LinePlatform): string[] {
	const [row] = toRows([post], { time: { seq: 1, at: 0 }, conversation: "2", platform });
	if (row?.payload.type !== "post") throw new Error("the card is no post");
	const { body, controls = [], notifies } = row.payload;
	const mentioned = notifies === undefined || notifies.ways[0] === "direct" ? [] : notifies.people;
	const people = mentioned.map(() => `@${"x".repeat(18)}`).join(" ");
	let isCode = false;
	const rows = [...(people === "" ? [] : [people]), ...body.split("\n")].flatMap((line) => {
		if (line.startsWith("```")) {
			isCode = !isCode;
			return [];
		}
		const width = isCode ? columnsOf(line.replaceAll(/&(?:amp|lt|gt);/gu, "&")) : seenColumns(line);
		const first = width <= columns ? line : `${line} (${width} columns)`;
		return [first, ...Array.from({ length: Math.ceil(width / columns) - 1 }, () => "…")];
	});
	return [
		...rows,
		...controls.map((buttons) => buttons.map((one) => ("label" in one ? one.label : "")).join(" | ")),
	];
}
