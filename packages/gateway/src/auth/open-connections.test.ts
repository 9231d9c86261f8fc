import { operator, type Principal } from "@parley/core";
import { expect, test } from "vitest";
import { OpenConnections } from "./open-connections.ts";

function setUp() {
	const ended = new Set<string>();
	const listeners = new Set<(id: string) => void>();
	const connections = new OpenConnections({
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
	return { connections, end, listeners };
}

const one: Principal = { ...operator, tokenId: "one" };
const other: Principal = { ...operator, tokenId: "other" };

test("all connections of an ended token are closed once, and no others", () => {
	const { connections, end } = setUp();
	const endings: string[] = [];
	connections.register(one, () => endings.push("first"));
	connections.register(one, () => endings.push("second"));
	connections.register(other, () => endings.push("foreign"));
	connections.register(operator, () => endings.push("local"));
	const release = connections.register(one, () => endings.push("gone"));
	release();
	end("one");
	end("one");
	expect(endings).toEqual(["first", "second"]);
	connections.register(other, () => endings.push("later"));
	end("other");
	expect(endings).toEqual(["first", "second", "foreign", "later"]);
});

test("a connection that opens after its token has ended is closed at once", () => {
	const { connections, end } = setUp();
	end("one");
	const endings: string[] = [];
	connections.register(one, () => endings.push("late"));
	expect(endings).toEqual(["late"]);
});

test("after the close, ended tokens have no effect", () => {
	const { connections, listeners } = setUp();
	expect(listeners.size).toBe(1);
	connections.close();
	expect(listeners.size).toBe(0);
});
