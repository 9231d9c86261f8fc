import type { Random } from "../random.ts";
import type { StreamedReply } from "../simulators/anthropic/reply.ts";

/** The default reply of the model, long enough for far more than 40 deltas. */
export const speech = Array.from(
	{ length: 12 },
	(_, index) => `Line ${index + 1}: the kettle sings – "Grüße!" – and somebody opens the door 👋.`,
).join("\n");

/**
 * Splits the texts of a reply into random deltas, and its bytes into random packets. A reply with its own `cut` or
 * `packets` keeps them.
 */
export function cutUp(reply: StreamedReply, random: Random): StreamedReply {
	return {
		cut: (text) => pieces([...text], random, 12).map((signs) => signs.join("")),
		packets: (bytes) => cutBytes(bytes, random),
		...reply,
	};
}

function cutBytes(bytes: Uint8Array, random: Random): Uint8Array[] {
	// Large replies have larger packets, to keep the tests short.
	const maximum = Math.max(1_000, Math.ceil(bytes.length / 100));
	const packets: Uint8Array[] = [];
	for (let from = 0; from < bytes.length; ) {
		const to = from + random.between(1, maximum);
		packets.push(bytes.subarray(from, to));
		from = to;
	}
	return packets;
}

function pieces<Item>(items: readonly Item[], random: Random, maximum: number): Item[][] {
	const cut: Item[][] = [];
	for (let from = 0; from < items.length; ) {
		const to = from + random.between(1, maximum);
		cut.push(items.slice(from, to));
		from = to;
	}
	return cut;
}
