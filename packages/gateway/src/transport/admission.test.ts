import { once } from "node:events";
import { expect, test } from "vitest";
import { connectPair, type SocketPair } from "../testing/socket-pair.ts";
import { Admission } from "./admission.ts";

async function connectMany(count: number, localAddress = "127.0.0.1"): Promise<SocketPair[]> {
	return await Promise.all(Array.from({ length: count }, () => connectPair({ localAddress })));
}

async function closeAll(...groups: readonly SocketPair[][]): Promise<void> {
	await Promise.all(groups.flat().map((pair) => pair[Symbol.asyncDispose]()));
}

/** Enters all of them; the list grows as they are admitted. */
function enterAll(admission: Admission, pairs: readonly SocketPair[]): SocketPair[] {
	const admitted: SocketPair[] = [];
	for (const pair of pairs) admission.enter(pair.accepted, () => admitted.push(pair));
	return admitted;
}

test("a peer's next connection waits until one of it is authenticated or gone, in the order of arrival", async () => {
	const pairs = await connectMany(5);
	const admission = new Admission({ perPeer: 2 });
	const admitted = enterAll(admission, pairs);
	expect(admitted).toEqual(pairs.slice(0, 2));
	pairs[0]?.client.write("hello");

	for (const pair of pairs.slice(0, 1)) admission.settled(pair.accepted);
	expect(admitted).toEqual(pairs.slice(0, 3));

	pairs[1]?.accepted.destroy();
	if (pairs[1]) await once(pairs[1].accepted, "close");
	expect(admitted).toEqual(pairs.slice(0, 4));
	await closeAll(pairs);
});

test("a connection that is authenticated twice frees one place", async () => {
	const pairs = await connectMany(4);
	const admission = new Admission({ perPeer: 1 });
	const admitted = enterAll(admission, pairs);
	for (const pair of [...pairs.slice(0, 1), ...pairs.slice(0, 1)]) admission.settled(pair.accepted);
	expect(admitted).toEqual(pairs.slice(0, 2));
	await closeAll(pairs);
});

test("a waiting connection that closes loses its turn", async () => {
	const pairs = await connectMany(3);
	const admission = new Admission({ perPeer: 1 });
	const admitted = enterAll(admission, pairs);
	const [first, second, third] = pairs;
	second?.accepted.destroy();
	if (second) await once(second.accepted, "close");
	if (first) admission.settled(first.accepted);
	expect(admitted).toEqual([first, third]);
	await closeAll(pairs);
});

test("one address does not take the places of another, and does not hold up its queue", async () => {
	const busy = await connectMany(3);
	const other = await connectMany(2, "127.0.0.2");
	const admission = new Admission({ perPeer: 1, pending: 2 });
	const admitted = enterAll(admission, [...busy, ...other]);
	expect(admitted).toEqual([busy[0], other[0]]);
	if (other[0]) admission.settled(other[0].accepted);
	expect(admitted).toEqual([busy[0], other[0], other[1]]);
	await closeAll(busy, other);
});

test("what finds the queue full, or too many connections open, is closed", async () => {
	const pairs = await connectMany(4);
	const full = new Admission({ perPeer: 1, waiting: 1 });
	const admitted = enterAll(full, pairs.slice(0, 3));
	expect(admitted).toEqual(pairs.slice(0, 1));
	expect(pairs.map((pair) => pair.accepted.destroyed)).toEqual([false, false, true, false]);

	const crowded = new Admission({ open: 1 });
	const [, , , last] = pairs;
	expect(enterAll(crowded, [...pairs.slice(0, 1), ...(last ? [last] : [])])).toEqual(pairs.slice(0, 1));
	expect(last?.accepted.destroyed).toBe(true);
	await closeAll(pairs);
});

test("sixty-four connections of one address are served at a time unless told", async () => {
	const pairs = await connectMany(66);
	const admission = new Admission();
	expect(enterAll(admission, pairs)).toHaveLength(64);
	await closeAll(pairs);
});
