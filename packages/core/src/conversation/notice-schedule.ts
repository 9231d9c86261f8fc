import type { Person } from "../vocabulary/principal.ts";
import type { Notice, NoticeSchedule } from "../vocabulary/prompt.ts";

/** A due notice, the number of reminders and escalations so far, and the time of the next notice. */
export interface DueNotice {
	readonly notify: Notice & { readonly escalated: boolean };
	/** Number of reminders and escalations, including the due notice. */
	readonly reminded: number;
	/** Time of the next notice or of the expiry, in milliseconds since the epoch. */
	readonly dueAt: number;
}

/**
 * Returns the notice after `reminded` reminders and escalations: a reminder to the first group, and then the first
 * notice to each further group in turn. The time until the next notice starts at `now`, so a long stop of the gateway
 * does not shorten that time. Returns undefined if no notice is left.
 */
export function nextNotice(
	{ groups, escalateMs }: NoticeSchedule,
	{
		reminded,
		now,
		expiresAt,
	}: { readonly reminded: number; readonly now: number; readonly expiresAt: number },
): DueNotice | undefined {
	const group = groups[reminded];
	if (!group) return undefined;
	const isLast = reminded + 1 >= groups.length;
	const dueAt = isLast ? expiresAt : Math.min(now + escalateMs, expiresAt);
	return { notify: { ...group, escalated: reminded > 0 }, reminded: reminded + 1, dueAt };
}

/**
 * Returns the schedule without the requester in its groups. A group that contains only the requester is unchanged,
 * because otherwise its notices would have no recipient.
 */
export function withoutRequester(schedule: NoticeSchedule, requester: Person | undefined): NoticeSchedule {
	const groups = schedule.groups.map((group) => {
		const people = group.people.filter((id) => id !== requester?.id);
		return people.length > 0 ? { ...group, people } : group;
	});
	return { ...schedule, groups };
}
