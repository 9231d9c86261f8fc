import { once } from "node:events";
import { setImmediate as tick } from "node:timers/promises";
import { definedItems } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { connectPair, type SocketPair } from "../testing/socket-pair.ts";
import { Admission } from "./admission.ts";

async function connectMany(count: number, localAddress = "127.0.0.1"): Promise<SocketPair[]> {
	return await Promise.all(Array.from({ length: count }, () => connectPair({ localAddress })));
}

async function closeAll(...groups: readonly SocketPair[][]): Promise<void> {
	await Promise.all(groups.flat().map((pair) => pair[Symbol.asyncDispose]()));
}

interface EnterOptions {
	readonly clock?: ManualClock;
	/** Whether the gateway's own user owns the connections. Default: no. */
	readonly isOwn?: () => Promise<boolean>;
}

/**
 * Enters the accepted ends of all pairs. Returns the list of admitted pairs, which grows when further pairs are
 * admitted.
 */
async function enterAll(admission: Admission, pairs: readonly SocketPair[], options: EnterOptions = {}) {
	const { clock = new ManualClock(), isOwn = async () => false } = options;
	const admitted: SocketPair[] = [];
	for (const pair of pairs) {
		admission.enter({ socket: pair.accepted, clock, isOwn, admit: () => admitted.push(pair) });
	}
	await tick();
	return admitted;
}

const own = { isOwn: async () => true };

test("the next connection of a peer waits until an earlier one is authenticated or closed, in order", async () => {
	const pairs = await connectMany(5);
	const admission = new Admission({ perPeer: 2 });
	const admitted = await enterAll(admission, pairs);
	expect(admitted).toEqual(pairs.slice(0, 2));
	pairs[0]?.client.write("hello");

	for (const pair of pairs.slice(0, 1)) admission.settled(pair.accepted);
	expect(admitted).toEqual(pairs.slice(0, 3));

	pairs[1]?.accepted.destroy();
	if (pairs[1]) await once(pairs[1].accepted, "close");
	expect(admitted).toEqual(pairs.slice(0, 4));
	await closeAll(pairs);
});

test("a connection that is authenticated twice frees one slot", async () => {
	const pairs = await connectMany(4);
	const admission = new Admission({ perPeer: 1 });
	const admitted = await enterAll(admission, pairs);
	for (const pair of [...pairs.slice(0, 1), ...pairs.slice(0, 1)]) admission.settled(pair.accepted);
	expect(admitted).toEqual(pairs.slice(0, 2));
	await closeAll(pairs);
});

test("a queued connection that closes loses its turn", async () => {
	const pairs = await connectMany(3);
	const admission = new Admission({ perPeer: 1 });
	const admitted = await enterAll(admission, pairs);
	const [first, second, third] = pairs;
	second?.accepted.destroy();
	if (second) await once(second.accepted, "close");
	if (first) admission.settled(first.accepted);
	expect(admitted).toEqual([first, third]);
	await closeAll(pairs);
});

test("one address does not use the slots of another, and does not block its queue", async () => {
	const busy = await connectMany(3);
	const other = await connectMany(2, "127.0.0.2");
	const admission = new Admission({ perPeer: 1, pending: 2 });
	const admitted = await enterAll(admission, [...busy, ...other]);
	expect(admitted).toEqual([busy[0], other[0]]);
	if (other[0]) admission.settled(other[0].accepted);
	expect(admitted).toEqual([busy[0], other[0], other[1]]);
	await closeAll(busy, other);
});

test("a connection is closed if the queue is full, or too many are open", async () => {
	const pairs = await connectMany(4);
	const full = new Admission({ perPeer: 1, waiting: 1 });
	const admitted = await enterAll(full, pairs.slice(0, 3));
	expect(admitted).toEqual(pairs.slice(0, 1));
	expect(pairs.map((pair) => pair.accepted.destroyed)).toEqual([false, false, true, false]);

	const single = new Admission({ open: 1 });
	const [, , , last] = pairs;
	expect(await enterAll(single, [...pairs.slice(0, 1), ...definedItems([last])])).toEqual(pairs.slice(0, 1));
	expect(last?.accepted.destroyed).toBe(true);
	await closeAll(pairs);
});

test("at the connection limit, a connection of the address with the longest queue is closed", async () => {
	const [flood, other] = [await connectMany(4), await connectMany(2, "127.0.0.2")];
	const admission = new Admission({ perPeer: 1, open: 4 });
	const admitted = await enterAll(admission, flood);
	admitted.push(...(await enterAll(admission, other)));
	expect(flood.map((pair) => pair.accepted.destroyed)).toEqual([false, false, true, true]);
	expect(admitted).toEqual([flood[0], other[0]]);
	expect(other.map((pair) => pair.accepted.destroyed)).toEqual([false, false]);
	await closeAll(flood, other);
});

test("queued addresses take turns", async () => {
	const [one, other] = [await connectMany(4), await connectMany(3, "127.0.0.2")];
	const admission = new Admission({ perPeer: 2, pending: 2 });
	const admitted = await enterAll(admission, [...one, ...other]);
	for (let n = 0; n < 5; n++) {
		const pair = admitted[n];
		if (pair) admission.settled(pair.accepted);
	}
	expect(admitted).toEqual([one[0], one[1], one[2], other[0], one[3], other[1], other[2]]);
	await closeAll(one, other);
});

test("by default sixty-four connections of one address are served at a time", async () => {
	const pairs = await connectMany(66);
	const admission = new Admission();
	expect(await enterAll(admission, pairs)).toHaveLength(64);
	await closeAll(pairs);
});

test("a slot is lost after ten seconds without authentication, despite any received data", async () => {
	const pairs = await connectMany(4);
	const admission = new Admission({ perPeer: 2 });
	const clock = new ManualClock();
	const admitted = await enterAll(admission, pairs, { clock });
	const [first, second] = pairs;
	if (first) admission.settled(first.accepted);
	clock.advance(9_999);
	expect(admitted).toEqual(pairs.slice(0, 3));
	expect(second?.accepted.destroyed).toBe(false);
	second?.client.write("GET");
	clock.advance(1);
	expect(pairs.map((pair) => pair.accepted.destroyed)).toEqual([false, true, true, false]);
	await tick();
	expect(admitted).toEqual(pairs);
	if (pairs[3]) admission.settled(pairs[3].accepted);
	expect(clock.pending).toBe(0);
	await closeAll(pairs);
});

test("other users of this machine cannot take the last slot or the queue from the gateway's own user", async () => {
	const [strange, mine] = [await connectMany(4), await connectMany(4)];
	const admission = new Admission({ perPeer: 2, pending: 2, waiting: 1 });
	const unauthenticated = await enterAll(admission, strange);
	expect(strange.map((pair) => pair.accepted.destroyed)).toEqual([false, false, false, true]);
	const admitted = await enterAll(admission, mine, own);
	expect(admitted).toEqual(mine.slice(0, 2));
	expect(mine.map((pair) => pair.accepted.destroyed)).toEqual([false, false, false, true]);

	// The place of a closed or authenticated connection is given to the next connection in the same queue.
	if (mine[0]) admission.settled(mine[0].accepted);
	expect([unauthenticated.length, admitted.length]).toEqual([2, 3]);
	if (strange[0]) admission.settled(strange[0].accepted);
	expect([unauthenticated.length, admitted.length]).toEqual([3, 3]);
	await closeAll(strange, mine);
});

test("a connection that closes while its owner is looked up gets no slot", async () => {
	const pairs = await connectMany(2);
	const [first, second] = pairs;
	const admission = new Admission({ perPeer: 1 });
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const admitted = await enterAll(admission, pairs, { isOwn: () => promise });
	second?.accepted.destroy();
	resolve(true);
	await tick();
	expect(admitted).toEqual([first]);
	await closeAll(pairs);
});

test("the owner of a connection is not looked up while slots are free", async () => {
	const pairs = await connectMany(2);
	const isOwn = () => Promise.reject(new Error("nobody should ask"));
	expect(await enterAll(new Admission({ perPeer: 2 }), pairs, { isOwn })).toEqual(pairs);
	await closeAll(pairs);
});

test("an address of many clients may use all the slots, and not more", async () => {
	const admission = new Admission({ perPeer: 1, pending: 3 }, (peer) => peer === "127.0.0.7");
	const connections = await connectMany(4, "127.0.0.7");
	expect(await enterAll(admission, connections)).toEqual(connections.slice(0, 3));
	await closeAll(connections);
});

test("the TLS stream of a connection represents it", async () => {
	const admission = new Admission({ perPeer: 1 });
	const [first, second, carried] = await connectMany(3);
	if (!first || !second || !carried) throw new Error("three were asked for");
	const admitted = await enterAll(admission, [first, second]);
	admission.carries(first.accepted, carried.accepted);
	admission.settled(carried.accepted);
	expect(admitted).toEqual([first, second]);
	await closeAll([first, second, carried]);
});
