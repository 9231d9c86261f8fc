import type { LiveLevel } from "../../platform/answer-card.ts";
import { liveTexts } from "../../texts/live.ts";
import { plainLine } from "../vocabulary/plain.ts";
import type { CallPart, RunPart } from "./run-parts.ts";

/**
 * Maximum number of consecutive completed calls that have their own lines. Earlier calls are only counted. The
 * level `everything` has no maximum.
 */
const maxLines = 3;
/** Tools that have a path as the subject of each call. All members of the room may see the file name. */
const fileTools: ReadonlySet<string> = new Set(["write_file", "edit_file"]);
const maxSubject = 80;
/** Returns the interval in seconds at which the shown duration of a running call changes. */
const stepOf = (seconds: number): number => (seconds < 60 ? 5 : 30);

/**
 * Returns the Markdown of an active run: its parts so far, and the text of the current reply. Returns an empty text
 * for the level `off`, and for a run without visible content.
 */
export function liveView(
	parts: readonly RunPart[],
	{ level, text, now }: { readonly level: LiveLevel; readonly text: string; readonly now: number },
): string {
	if (level === "off") return "";
	const sections: string[] = [];
	let calls: CallPart[] = [];
	const close = (): void => {
		if (calls.length > 0 && level !== "text") sections.push(linesOf(calls, { level, now }).join("  \n"));
		calls = [];
	};
	const shown = shownCalls(parts);
	for (const part of parts) {
		if (part.type === "call") {
			if (shown.has(part)) calls.push(part);
		} else {
			close();
			sections.push(part.text.trim());
		}
	}
	close();
	if (text.trim() !== "") sections.push(text.trim());
	return sections.join("\n\n");
}

function linesOf(
	calls: readonly CallPart[],
	{ level, now }: { readonly level: LiveLevel; readonly now: number },
): string[] {
	const ended = calls.filter(({ to }) => to !== undefined);
	const count = level === "everything" ? 0 : Math.max(0, ended.length - maxLines);
	const hidden = ended.slice(0, count);
	const shown = calls.filter((call) => !hidden.includes(call));
	const lines = shown.map((call) => lineOf(call, { level, now }));
	if (count === 0) return lines;
	return [liveTexts.earlier({ count, failed: hidden.filter(({ failed }) => failed).length }), ...lines];
}

function lineOf(part: CallPart, { level, now }: { readonly level: LiveLevel; readonly now: number }): string {
	const shown = { call: callName(part, level), seconds: secondsOf(part, now) };
	if (part.to === undefined) return liveTexts.running(shown);
	return part.failed ? liveTexts.failed(shown) : liveTexts.succeeded(shown);
}

/**
 * Returns the duration of a call in seconds, until `now` if the call is running. The duration of a running call is a
 * multiple of 5 or 30, which saves edits.
 */
export function secondsOf({ from, to }: CallPart, now: number): number {
	const passed = Math.max(0, Math.round(((to ?? now) - from) / 1000));
	const step = to === undefined ? stepOf(passed) : 1;
	return Math.floor(passed / step) * step;
}

/**
 * Returns the calls that are shown while the run is active. While a call waits for the answer to its question, no
 * open call is shown, because the question has its own post.
 */
export function shownCalls(parts: readonly RunPart[]): ReadonlySet<RunPart> {
	const calls = parts.filter((part) => part.type === "call");
	const isWaiting = calls.some(({ waits }) => waits !== undefined);
	return new Set(calls.filter(({ to }) => to !== undefined || !isWaiting));
}

/**
 * Returns the name of the call's tool. The level `everything` adds the subject of the call. Other levels add the file
 * name if the tool is a file tool.
 */
export function callName({ name, subject }: CallPart, level: LiveLevel): string {
	const tool = plainLine(name, maxSubject);
	if (subject === undefined) return tool;
	if (level === "everything") return `${tool} ${plainLine(subject, maxSubject)}`;
	if (!fileTools.has(name)) return tool;
	const file = subject.split(/[\\/]/).at(-1) ?? "";
	return file === "" ? tool : `${tool} ${plainLine(file, maxSubject)}`;
}

/** Minimum duration, in seconds, for which the footer mentions the only call of a run. */
const minSeconds = 5;

/**
 * Returns a summary of the tool calls among the parts. Returns undefined if there are no calls, or only one call of
 * less than `minSeconds`.
 */
export function callsFoot(parts: readonly RunPart[]): string | undefined {
	const calls = parts.filter((part) => part.type === "call");
	const seconds = Math.round(coveredMs(calls) / 1000);
	if (calls.length === 0 || (calls.length === 1 && seconds < minSeconds)) return undefined;
	return liveTexts.calls({ count: calls.length, seconds });
}

/** Returns the milliseconds in which at least one of the calls ran. */
function coveredMs(calls: readonly CallPart[]): number {
	let covered = 0;
	let end = Number.NEGATIVE_INFINITY;
	for (const { from, to = from } of calls.toSorted((one, other) => one.from - other.from)) {
		covered += Math.max(0, to - Math.max(from, end));
		end = Math.max(end, to);
	}
	return covered;
}
