import type { MessageRecord } from "./records.ts";
import { refusals } from "./refusal.ts";
import type { State } from "./state.ts";

const hour = 3_600_000;

/**
 * Counts an edit if the message is more than an hour old. Throws above the channel's limit of such edits:
 * https://github.com/discord/discord-api-docs/issues/4413
 */
export function countOldEdit(state: State, { channel, createdAt }: MessageRecord): void {
	const now = state.now();
	if (now - createdAt <= hour) return;
	const { limit, perMs } = state.settings.oldEdits;
	const recent = (state.oldEdits.get(channel.id) ?? []).filter((at) => now - at < perMs);
	const [first = now] = recent;
	if (recent.length >= limit) throw refusals.oldEdits((first + perMs - now) / 1000);
	state.oldEdits.set(channel.id, [...recent, now]);
}
