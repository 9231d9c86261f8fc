import { expect, test } from "vitest";
import { type Holder, OutgoingAccount } from "./outgoing-account.ts";

function reader(account: OutgoingAccount, name: string, closed: string[]): Holder {
	const holder: Holder = {
		giveUp() {
			closed.push(name);
			account.set(holder, 0);
		},
	};
	return holder;
}

test("above the total limit the readers with the largest queues are closed", () => {
	const account = new OutgoingAccount(100);
	const closed: string[] = [];
	const [small, large, larger] = ["small", "large", "larger"].map((name) => reader(account, name, closed));
	if (!small || !large || !larger) throw new Error("readers are missing");
	account.set(small, 20);
	account.set(large, 30);
	account.set(larger, 50);
	expect(closed).toEqual([]);
	account.set(small, 21);
	expect(closed).toEqual(["larger"]);
	expect(account.total).toBe(51);
	account.set(small, 120);
	expect(closed).toEqual(["larger", "small"]);
	expect(account.total).toBe(30);
});

test("a repeated share replaces the previous one, and a returned one is removed", () => {
	const account = new OutgoingAccount(100);
	const closed: string[] = [];
	const one = reader(account, "one", closed);
	for (const bytes of [80, 90, 10, 100]) account.set(one, bytes);
	expect(account.total).toBe(100);
	account.set(one, 0);
	account.set(one, 0);
	expect(account.total).toBe(0);
	expect(closed).toEqual([]);
});
