import { expect, test } from "vitest";
import { nextNotice, withoutRequester } from "./notice-schedule.ts";

const [first, second, third] = ["a", "b", "c"].map((id) => ({ people: [id], by: ["mention"] as const }));

function next(groups: readonly (typeof first)[], reminded: number, now = 100) {
	const known = groups.filter((group) => group !== undefined);
	return nextNotice({ groups: known, remindMs: 10, escalateMs: 20 }, { reminded, now, expiresAt: 1000 });
}

test("the first group is reminded once, and then each other group is notified once", () => {
	const all = [first, second, third];
	expect(next(all, 0)).toEqual({ notify: { ...first, escalated: false }, reminded: 1, dueAt: 120 });
	expect(next(all, 1)).toEqual({ notify: { ...second, escalated: true }, reminded: 2, dueAt: 120 });
	expect(next(all, 2)).toEqual({ notify: { ...third, escalated: true }, reminded: 3, dueAt: 1000 });
	expect(next(all, 3)).toBeUndefined();
});

test("without another group, only the expiry follows the reminder", () => {
	expect(next([first], 0)).toMatchObject({ reminded: 1, dueAt: 1000 });
	expect(next([first], 1)).toBeUndefined();
});

test("no notice is due after the expiry", () => {
	expect(next([first, second], 0, 990)).toMatchObject({ dueAt: 1000 });
});

test("the person who asked is not notified if another person of the group can decide", () => {
	const by = ["mention"] as const;
	const group = (...people: string[]) => ({ people, by });
	const place = { platform: "discord", tenant: "1", channel: "2", shared: false };
	const requester = { id: "discord:1:ada", name: "", role: "approver", place } as const;
	const groups = [group("discord:1:ada", "discord:1:bob"), group("discord:1:ada"), group()];
	const schedule = { groups, remindMs: 1, escalateMs: 1 };
	expect(withoutRequester(schedule, requester).groups).toEqual([
		group("discord:1:bob"),
		group("discord:1:ada"),
		group(),
	]);
	expect(withoutRequester(schedule, undefined)).toEqual(schedule);
});
