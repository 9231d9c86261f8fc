import { Socket } from "node:net";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { fc } from "../../../../test/properties.ts";
import { Places } from "./places.ts";

const clock = new ManualClock();

function connection() {
	return { socket: new Socket(), clock, admit: () => undefined, isOwn: async () => false };
}

/** Returns the CPU time of a thousand evictions, in microseconds. */
function costOfEvictions(length: number): number {
	const places = new Places({ perPeer: 0, pending: 0, waiting: length });
	for (let count = 0; count < length; count++) places.enter("a", connection());
	const before = process.cpuUsage();
	for (let count = 0; count < 1000; count++) places.evict();
	const { user, system } = process.cpuUsage(before);
	expect(places.waiting).toBe(length - 1000);
	return user + system;
}

test("the cost of an eviction does not depend on the number of waiting connections", () => {
	costOfEvictions(2000);
	const costs = (length: number) => Math.min(...Array.from({ length: 3 }, () => costOfEvictions(length)));
	// A copy of the queue would cost twenty times as much.
	expect(costs(40_000)).toBeLessThan(5 * costs(2000));
});

interface Waiting {
	readonly peer: string;
	readonly socket: Socket;
}

function evictFrom(places: Places, waiting: readonly Waiting[]): Waiting[] {
	const lengthOf = (peer: string) => waiting.filter((one) => one.peer === peer).length;
	const max = Math.max(0, ...waiting.map(({ peer }) => lengthOf(peer)));
	expect(places.evict()).toBe(max > 0);
	for (const closed of waiting.filter(({ socket }) => socket.destroyed)) {
		expect(lengthOf(closed.peer)).toBe(max);
		expect(waiting.findLast(({ peer }) => peer === closed.peer)).toBe(closed);
	}
	return waiting.filter(({ socket }) => !socket.destroyed);
}

test("the newest connection of the address with the most connections is evicted, after any other changes", () => {
	const action = fc.record({ kind: fc.constantFrom("enter", "leave", "evict"), at: fc.nat(20) });
	fc.assert(
		fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
			const places = new Places({ perPeer: 0, pending: 0, waiting: 1000 });
			let waiting: Waiting[] = [];
			for (const { kind, at } of actions) {
				if (kind === "enter") {
					const one = connection();
					places.enter(`peer ${at % 4}`, one);
					waiting.push({ peer: `peer ${at % 4}`, socket: one.socket });
				} else if (kind === "leave") {
					for (const { socket } of waiting.splice(at, 1)) places.leave(socket);
				} else waiting = evictFrom(places, waiting);
				expect(places.waiting).toBe(waiting.length);
			}
		}),
	);
});
