import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { SilenceWatch, type Suspicion } from "./silence-watch.ts";

function watch() {
	const [clock, suspicions] = [new ManualClock(), [] as string[]];
	const line = (name: string) => ({ leave: (reason: string) => void suspicions.push(`${name}: ${reason}`) });
	const [one, two] = [line("one"), line("two")];
	const reported: Suspicion[] = [];
	const deaf = new SilenceWatch(clock, new Set([one, two]), (suspicion) => void reported.push(suspicion));
	return { clock, deaf, suspicions, reported, one, two };
}

const minute = 60_000;

test("sockets without an event about an own post are suspected", () => {
	const { clock, deaf, suspicions } = watch();
	deaf.notePost();
	clock.advance(29_000);
	deaf.notePost();
	expect(suspicions).toEqual([]);
	clock.advance(1000);
	expect(suspicions).toEqual(["one", "two"].map((name) => `${name}: no event arrived since the last post`));
});

test("after a suspicion without effect, the next one is later", () => {
	const { clock, deaf, suspicions, one } = watch();
	const after = (ms: number): number => {
		deaf.notePost();
		clock.advance(ms);
		return suspicions.splice(0).length;
	};
	expect([after(30_000), after(30_000), after(30_000)]).toEqual([2, 0, 2]);
	deaf.noteEvent(one);
	expect(after(30_000)).toBe(2);
});

test("any event after a post clears the sockets", () => {
	const { clock, deaf, suspicions, one } = watch();
	deaf.notePost();
	clock.advance(20_000);
	deaf.noteEvent(one);
	clock.advance(20_000);
	expect(suspicions).toEqual([]);
});

test("after a quarter of an hour without an event the sockets are replaced, and again after another", () => {
	const { clock, suspicions } = watch();
	clock.advance(15 * minute);
	expect(suspicions).toHaveLength(2);
	clock.advance(15 * minute);
	expect(suspicions).toHaveLength(4);
});

test("a socket that misses events of the other one is suspected separately, and not again at once", () => {
	const { clock, deaf, suspicions, one, two } = watch();
	for (let n = 0; n < 19; n++) deaf.noteEvent(one);
	deaf.noteEvent(two);
	for (let n = 0; n < 19; n++) deaf.noteEvent(one);
	expect(suspicions).toEqual([]);
	deaf.noteEvent(one);
	deaf.noteEvent(one);
	expect(suspicions).toEqual(["two: this socket receives no events, and the other socket receives many"]);
	clock.advance(5 * minute);
	deaf.noteEvent(one);
	expect(suspicions).toHaveLength(2);
});

test("after a stop, no timer remains", () => {
	const { clock, deaf, one } = watch();
	deaf.notePost();
	deaf.stop();
	deaf.notePost();
	deaf.noteEvent(one);
	expect(clock.pending).toBe(0);
});

test("a suspicion has the time of the last event, and whether an event was expected", () => {
	const { clock, deaf, reported, one } = watch();
	const from = clock.now();
	clock.advance(minute);
	deaf.noteEvent(one);
	clock.advance(10 * minute);
	deaf.notePost();
	clock.advance(30_000);
	clock.advance(15 * minute);
	expect(reported).toMatchObject([
		{ reason: "no event arrived since the last post", since: from + minute, isLikely: true },
		{ reason: "no event arrived for a quarter of an hour", since: from + minute, isLikely: false },
	]);
});
