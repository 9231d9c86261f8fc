import { ActivityType, PresenceUpdateStatus } from "discord-api-types/v10";
import type { State } from "./state.ts";

/** Presence of the app as other users see it: https://discord.com/developers/docs/events/gateway-events#update-presence */
export interface PresenceRecord {
	readonly status: PresenceUpdateStatus;
	/** Text of each activity: the state of a custom status, or the name of any other activity. */
	readonly activities: readonly string[];
}

export const offline: PresenceRecord = { status: PresenceUpdateStatus.Offline, activities: [] };
export const online: PresenceRecord = { status: PresenceUpdateStatus.Online, activities: [] };

const statuses: ReadonlySet<unknown> = new Set(Object.values(PresenceUpdateStatus));
const kinds: ReadonlySet<unknown> = new Set(Object.values(ActivityType));

/** Returns the presence in a payload, or undefined if Discord cannot decode it. */
export function readPresence(payload: unknown): PresenceRecord | undefined {
	const { since, activities, status, afk, ...others } = Object(payload);
	const hasValidTimes = (since === null || Number.isInteger(since)) && typeof afk === "boolean";
	if (
		!hasValidTimes ||
		Object.keys(others).length > 0 ||
		!statuses.has(status) ||
		!Array.isArray(activities)
	) {
		return undefined;
	}
	const texts = activities.map(textOf);
	if (!texts.every((text) => text !== undefined)) return undefined;
	// The cast is safe because the value was found in the list.
	return { status: status as PresenceUpdateStatus, activities: texts };
}

function textOf(activity: unknown): string | undefined {
	const { name, type, state } = Object(activity);
	if (typeof name !== "string" || name === "" || !kinds.has(type)) return undefined;
	return type === ActivityType.Custom ? String(state ?? "") : name;
}

/** Sets a presence. Updates above the limit are ignored without an error. */
export function showPresence(state: State, presence: PresenceRecord): void {
	const { limit, perMs } = state.settings.presences;
	const now = state.now();
	state.presences = state.presences.filter((at) => now - at < perMs);
	if (state.presences.length >= limit) return;
	state.presences.push(now);
	state.presence = presence;
}
