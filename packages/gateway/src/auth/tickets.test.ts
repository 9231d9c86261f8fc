import { createIds, mintToken } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { operator, type Principal } from "@parley/core";
import { expect, test } from "vitest";
import { Tickets } from "./tickets.ts";

const observer: Principal = { id: "observer:wall", kind: "observer", tokenId: "t1", sessions: ["sess_1"] };

function setUp() {
	const clock = new ManualClock();
	const ended = new Set<string>();
	const tickets = new Tickets({ clock, ids: createIds(), tokens: { counts: (id) => !ended.has(id) } });
	return { clock, ended, tickets };
}

test("a ticket represents its requester, once", () => {
	const { tickets } = setUp();
	const [one, other] = [tickets.issue(observer), tickets.issue(operator)];
	expect(one).toMatch(/^gw_ticket_/);
	expect(tickets.redeem(other)).toBe(operator);
	expect(tickets.redeem(one)).toBe(observer);
	expect([one, other].map((text) => tickets.redeem(text))).toEqual([undefined, undefined]);
});

test("a ticket is valid for 30 seconds", () => {
	const { tickets, clock } = setUp();
	const [early, late] = [tickets.issue(operator), tickets.issue(operator)];
	clock.advance(29_999);
	expect(tickets.redeem(early)).toBe(operator);
	clock.advance(1);
	expect(tickets.redeem(late)).toBeUndefined();
});

test("a ticket ends with the token of its requester", () => {
	const { tickets, ended } = setUp();
	const ticket = tickets.issue(observer);
	ended.add("t1");
	expect(tickets.redeem(ticket)).toBeUndefined();
});

test.each([
	"",
	"undefined",
	"null",
	"gw_ticket_",
	mintToken("ticket", createIds()),
	mintToken("operator", createIds()),
])("%j is not a ticket", (text) => {
	const { tickets } = setUp();
	const ticket = tickets.issue(operator);
	expect(tickets.redeem(text)).toBeUndefined();
	expect(tickets.redeem(ticket.slice(0, -1))).toBeUndefined();
	expect(tickets.redeem(ticket)).toBe(operator);
});

test("a requester of many tickets loses only their own oldest ones", () => {
	const { tickets } = setUp();
	const others = tickets.issue(operator);
	const own = Array.from({ length: 33 }, () => tickets.issue(observer));
	expect(own.map((text) => tickets.redeem(text) !== undefined)).toEqual([false, ...Array(32).fill(true)]);
	expect(tickets.redeem(others)).toBe(operator);
});
