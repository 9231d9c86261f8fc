import { operator, type Principal } from "@parley/core";
import { expect, test } from "vitest";
import { HeldOpen } from "./held-open.ts";

function setUp() {
	const ended = new Set<string>();
	const listeners = new Set<(id: string) => void>();
	const held = new HeldOpen({
		counts: (id) => !ended.has(id),
		onEnd(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	});
	const end = (id: string): void => {
		ended.add(id);
		for (const listener of listeners) listener(id);
	};
	return { held, end, listeners };
}

const one: Principal = { ...operator, tokenId: "one" };
const other: Principal = { ...operator, tokenId: "other" };

test("everything that a token holds open is ended once, and nothing of others", () => {
	const { held, end } = setUp();
	const told: string[] = [];
	held.hold(one, () => told.push("first"));
	held.hold(one, () => told.push("second"));
	held.hold(other, () => told.push("foreign"));
	held.hold(operator, () => told.push("local"));
	const release = held.hold(one, () => told.push("gone"));
	release();
	end("one");
	end("one");
	expect(told).toEqual(["first", "second"]);
	held.hold(other, () => told.push("later"));
	end("other");
	expect(told).toEqual(["first", "second", "foreign", "later"]);
});

test("a connection that opens after its token has ended is closed at once", () => {
	const { held, end } = setUp();
	end("one");
	const told: string[] = [];
	held.hold(one, () => told.push("late"));
	expect(told).toEqual(["late"]);
});

test("after its close it ignores ended tokens", () => {
	const { held, listeners } = setUp();
	expect(listeners.size).toBe(1);
	held.close();
	expect(listeners.size).toBe(0);
});
