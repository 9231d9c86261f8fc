import { expect, test } from "vitest";
import { DeliveryError } from "../platform/surface.ts";
import type { OpenRow } from "./open-row.ts";
import { backoff, judgeLookup, maxAttempts, repeatsLeft, staleMs } from "./verdict.ts";

const row: OpenRow = {
	id: "s/1/0",
	position: 1,
	conversation: "general",
	message: "s/1",
	lane: "final",
	card: null,
	state: "unknown",
	attempts: 1,
	sentAt: 0,
	reason: "502",
	at: 0,
	edits: false,
};
const later = { now: 1000, monotonic: 60_000, chance: 0 };
const doubt = () => ({ since: 0, absences: 0, failures: 0 });

test("waits grow from half a second to five minutes and are never longer", () => {
	expect([1, 2, 3].map((failures) => backoff(failures, 0))).toEqual([500, 1000, 2000]);
	expect(backoff(1000, 1)).toBe(5 * 60_000);
});

test("a post that is proven missing after the last attempt has failed, with the reason", () => {
	const last = { ...row, attempts: maxAttempts };
	const counted = { ...doubt(), absences: 1 };
	expect(judgeLookup(last, counted, undefined, later)).toMatchObject({
		to: "dead",
		reason: "not posted after 8 attempts: 502",
	});
});

test("a post counts as missing only after fifteen seconds and a second lookup", () => {
	const looked = doubt();
	const early = { ...later, monotonic: 14_999 };
	expect(judgeLookup(row, looked, undefined, early)).toMatchObject({ to: "unknown", waitMs: 1 });
	expect(judgeLookup(row, looked, undefined, later)).toMatchObject({ to: "unknown", waitMs: 5000 });
	expect(judgeLookup(row, looked, undefined, later)).toMatchObject({ to: "planned", attempts: 1 });
});

test("a failing lookup is repeated for a day, and then a person decides", () => {
	const outage = new DeliveryError("503", { kind: "unknown" });
	const looked = doubt();
	const waits = [1, 2, 3].map(() => judgeLookup(row, looked, outage, later));
	expect(waits.map(({ to, waitMs }) => [to, waitMs])).toEqual([
		["unknown", 500],
		["unknown", 1000],
		["unknown", 2000],
	]);
	expect(judgeLookup(row, looked, outage, { ...later, now: staleMs + 1 })).toMatchObject({
		to: "held",
		reason:
			"the connector cannot check whether the post was sent: 503; look for the post in its channel, then send or drop it",
	});
});

test("a post that no lookup can clear is held after a day, also if the clock was set back", () => {
	const outage = new DeliveryError("503", { kind: "unknown" });
	const setBack = { now: -7 * staleMs, monotonic: staleMs + 1, chance: 0 };
	expect(judgeLookup(row, doubt(), outage, setBack)).toMatchObject({ to: "held" });
	expect(judgeLookup(row, doubt(), outage, { ...setBack, monotonic: staleMs })).toMatchObject({
		to: "unknown",
	});
});

test.each([
	["no request is known", null, 5000],
	["the request is 20 s old", 980_000, 45_000],
	["the request is older than the window", 900_000, -35_000],
	["the clock was set back", 1_000_001, 5000],
])("after a restart, retries end at the right time: %s", (_, sentAt, until) => {
	expect(repeatsLeft(sentAt, 60_000, { now: 1_000_000, monotonic: 5000 })).toEqual({ until, count: 0 });
});
