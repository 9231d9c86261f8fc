import { expect, test } from "vitest";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import { Tries } from "./retries.ts";

function fault(kind: ModelFault, retryAfterMs?: number): ModelError {
	return new ModelError(`it was ${kind}`, { fault: kind, retryAfterMs });
}

/** Returns the waits between all attempts with one model when each attempt fails with the fault `kind`. */
function waits(kind: ModelFault, random = () => 0): number[] {
	const tries = new Tries(["one"], random);
	const found: number[] = [];
	for (let next = tries.after(fault(kind)); next; next = tries.after(fault(kind))) found.push(next.waitMs);
	return found;
}

test.each<[ModelFault, number[]]>([
	["overloaded", [1000, 2000, 4000]],
	["interrupted", [1000, 2000, 4000]],
	["timeout", [1000, 2000, 4000]],
	["rate-limited", [1000, 2000, 4000]],
	["unreachable", [1000, 2000]],
	["rejected", []],
	["unauthenticated", []],
])("a model that stays %s is called again after %j ms", (kind, expected) => {
	expect(waits(kind)).toEqual(expected);
});

test("random jitter changes the waits by a quarter at most", () => {
	expect(waits("overloaded", () => 1)).toEqual([1250, 2500, 5000]);
});

test.each([
	[7_000, 7_500],
	[0, 500],
	[120_000, 120_500],
	[120_001, 120_500],
	[1e12, 120_500],
])("after a request to wait %d ms, the next attempt comes after %d ms", (requestedMs, waitMs) => {
	const next = new Tries(["one"], () => 0.5).after(fault("rate-limited", requestedMs));
	expect(next).toMatchObject({ waitMs, model: "one", attempt: 1 });
});

test("a long wait is explained", () => {
	const next = new Tries(["one"], () => 0).after(fault("rate-limited", 3_600_000));
	expect(next?.reason).toBe(
		"it was rate-limited; it asks for a wait of 3600 s, and the gateway retries earlier",
	);
});

test("the fallbacks are used at once, each with its own attempts, and then the run fails", () => {
	const tries = new Tries(["one", "two"], () => 0);
	const seen = Array.from({ length: 8 }, () => tries.after(fault("overloaded")));
	expect(seen.map((next) => next && [next.model, next.waitMs, next.attempt])).toEqual([
		["one", 1000, 1],
		["one", 2000, 2],
		["one", 4000, 3],
		["two", 0, 4],
		["two", 1000, 5],
		["two", 2000, 6],
		["two", 4000, 7],
		undefined,
	]);
	expect(seen[3]?.reason).toBe("it was overloaded; two answers instead");
});

test("an error that is not caused by the model is not retried", () => {
	const tries = new Tries(["one", "two"], () => 0);
	expect([undefined, new Error("odd")].map((failure) => tries.after(failure))).toEqual([
		undefined,
		undefined,
	]);
});
