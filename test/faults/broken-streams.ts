import type { Failure } from "./failure.ts";
import { speaking } from "./failure.ts";
import { type Repeated, rowOf } from "./seeds.ts";

const breaks: readonly Failure[] = [
	{
		name: "TCP reset mid-stream",
		answer: (random) => speaking(random, { break: { at: random.between(1, 60), how: "reset" } }),
		fault: "interrupted",
	},
	{
		name: "TCP reset between head and first event",
		answer: (random) => speaking(random, { break: { at: "head", how: "reset" } }),
		fault: "interrupted",
	},
	{
		name: "connection closed before the head",
		answer: (random) => speaking(random, { break: { at: "start", how: random.pick(["end", "reset"]) } }),
		fault: "interrupted",
	},
	{
		name: "clean end without message_stop",
		answer: (random) =>
			speaking(random, { break: { at: random.pick(["head", random.between(0, 60)]), how: "end" } }),
		fault: "interrupted",
	},
	{
		name: "clean end just before message_stop",
		answer: (random) => speaking(random, { edit: (events) => events.slice(0, -1) }),
		fault: "interrupted",
	},
	{
		name: "clean end in the middle of an event",
		answer: (random) =>
			speaking(random, {
				encode: (stream) => Buffer.from(stream.slice(0, random.between(1, stream.length - 2))),
			}),
		fault: "interrupted",
	},
];

const delays: readonly Failure[] = [
	{
		name: "hang before the head",
		answer: (random) => speaking(random, { break: { at: "start", how: "hang" } }),
		fault: "timeout",
		pass: (time) => time.endsAfter(60_000),
	},
	{
		name: "hang before the first byte of the body",
		answer: (random) => speaking(random, { break: { at: "head", how: "hang" } }),
		fault: "timeout",
		pass: (time) => time.endsAfter(60_000),
	},
	{
		name: "hang between bytes",
		answer: (random) => speaking(random, { break: { at: random.between(0, 60), how: "hang" } }),
		fault: "timeout",
		pass: (time) => time.endsAfter(45_000),
	},
	{
		name: "hang after a few pings",
		answer: (random) =>
			speaking(random, { break: { at: random.between(0, 60), how: "hang", pingEveryMs: 30_000 } }),
		fault: "timeout",
		// Pings restart the idle timeout, but not the total timeout.
		async pass(time) {
			await time.passTimes(19, 30_000);
			await time.endsAfter(30_000);
		},
	},
	{
		name: "one byte per second without end",
		large: true,
		answer: (random) => ({ ...speaking(random, {}), packets: singly, everyMs: 1_000 }),
		fault: "timeout",
		async pass(time) {
			await time.passTimes(599, 1_000);
			await time.endsAfter(1_000);
		},
	},
];

/** Rows of the fault table for broken and stalled connections. */
export const brokenStreams: readonly (Failure & Repeated)[] = [...rowOf(breaks), ...rowOf(delays)];

function singly(bytes: Uint8Array): Uint8Array[] {
	return Array.from(bytes, (byte) => Uint8Array.of(byte));
}
