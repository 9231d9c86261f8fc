import type { TimeWords } from "../../platform/chat-platform.ts";
import { plainLine } from "./plain.ts";

/** A time in a text of the gateway, for example the time of a one-time schedule or the end of a budget's period. */
const time = /\bat (\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?: UTC|Z)/u;

/** Returns a text of the gateway as Markdown in one line, with relative times. `from`: see `TimeWords.moment`. */
export function plainWithTimes(
	text: string,
	maximum: number,
	{ platform, from }: { readonly platform: TimeWords; readonly from: number | undefined },
): string {
	const [found, written = ""] = time.exec(text) ?? [];
	const at = Date.parse(`${written.replace(" ", "T")}Z`);
	if (found === undefined || !Number.isFinite(at)) return plainLine(text, maximum);
	const [before = "", ...after] = text.split(found);
	const rest = plainWithTimes(after.join(found), maximum, { platform, from });
	const parts = [plainLine(before, maximum), platform.moment(at, from), rest].filter((part) => part !== "");
	return parts.join(" ").replace(/ (?=[,.;:)])/gu, "");
}

/** Whether the text of a schedule begins with a time, as for a one-time schedule. */
export function isOnce(when: string): boolean {
	return time.exec(when)?.index === 0;
}
