import { formatUsd } from "@parley/base";
import type { TaskPayload } from "@parley/protocol";
import type { PersonNames, PlatformWords } from "../../platform/chat-platform.ts";
import { commandTexts } from "../../texts/commands.ts";
import { taskTexts } from "../../texts/tasks.ts";
import { actingPerson, plainLine } from "../vocabulary/plain.ts";
import type { EndedTask, Spent } from "./task-state.ts";

const barLength = 10;

/** Writes a progress bar, such as `▰▰▰▱▱ 3 of 5`; undefined for fewer than two steps. */
export function barOf(done: number, total: number): string | undefined {
	if (total < 2) return;
	const length = Math.min(total, barLength);
	const full = Math.min(length, Math.floor((done * length) / total));
	return `${"▰".repeat(full)}${"▱".repeat(length - full)} ${taskTexts.progress({ done, total })}`;
}

const grouped = new Intl.NumberFormat("en");

export function tokensOf({ input, output }: { readonly input: number; readonly output: number }): string {
	return commandTexts.usage.tokens({ input: grouped.format(input), output: grouped.format(output) });
}

/** Returns the tokens, and the cost if it is not 0. Returns undefined if no tokens were used. */
export function spentWords({ input, output, cost = 0 }: Spent): string | undefined {
	if (input === 0 && output === 0) return;
	const tokens = tokensOf({ input, output });
	return cost === 0 ? tokens : `${tokens} · ${formatUsd(cost)}`;
}

/** Returns a text about the end of a task: its state, and the known reason, person and time. */
export function taskEndText(
	{ status, completed_at }: TaskPayload,
	ended: EndedTask | undefined,
	platform: PlatformWords,
): string {
	const when = completed_at === undefined ? "" : `, ${platform.moment(Date.parse(completed_at))}`;
	return `${taskTexts.states[status]}${because(ended ?? {}, platform)}${when}`;
}

/** Returns the person and reason of a failure or cancellation, as text after the state. */
export function because(
	{ why = "", by }: { readonly why?: string | undefined; readonly by?: string | undefined },
	platform: PersonNames,
): string {
	const author = by === undefined ? "" : taskTexts.by({ person: actingPerson(by, platform) });
	// The default reason of the gateway only repeats the state and `by`, so it is omitted. A person can also type the
	// default reason, so no name is read from it.
	const hasReason = why !== "" && why !== "cancelled" && !/^cancelled by \S+$/u.test(why);
	return hasReason ? `${author}: ${plainLine(why, 300)}` : author;
}
