import { transcriptOf } from "../../chat/transcript.ts";
import { timeOf } from "../platform/snowflakes.ts";
import type { Shown } from "./shown.ts";

export function messageText(shown: Shown): string {
	const { id, repliesTo, thinking, thread, accents } = shown;
	const colors = accents.map((accent) => `color: #${accent.toString(16).padStart(6, "0")}`);
	return transcriptOf(shown, {
		at: timeOf(id),
		before: repliesTo ? [`to ${repliesTo.author}`] : [],
		after: thinking ? ["thinking"] : [],
		below: [...colors, ...(thread === undefined ? [] : [`thread: ${thread}`])],
	});
}
