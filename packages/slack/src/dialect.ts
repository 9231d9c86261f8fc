import type { Dialect } from "@parley/connector";
import { smallMark } from "./blocks/marks.ts";
import { writeBody } from "./blocks/write-body.ts";

/**
 * Slack's text as Markdown, which `bodyBlocks` turns into blocks: whatever a text holds, it is shown as that text. Small
 * print is marked by a character that no text keeps.
 */
export const slackDialect: Dialect = {
	write: writeBody,
	small: (written) => smallMark + written,
	measure: (written) => written.length,
	// Tables scroll and their cells wrap; what is wider still reads better as a list.
	tableColumns: 200,
};
