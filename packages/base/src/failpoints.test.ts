import { expect, test } from "vitest";
import { noFailpoints, parseFailpoints } from "./failpoints.ts";

function recorder() {
	const effects: string[] = [];
	return {
		effects,
		kill: () => void effects.push("killed"),
		write: (text: string) => void effects.push(text),
	};
}

test("a failpoint kills the process at the configured hit only", () => {
	const process = recorder();
	const failpoints = parseFailpoints("store.commit=kill@3", process);
	expect([1, 2].map(() => failpoints.reach("store.commit"))).toEqual([undefined, undefined]);
	expect(failpoints.reach("other")).toBeUndefined();
	expect(process.effects).toEqual([]);
	expect(failpoints.reach("store.commit")).toBeInstanceOf(Promise);
	expect(failpoints.reach("store.commit")).toBeUndefined();
	expect(process.effects).toEqual(["killed"]);
});

test("a point that pauses reports it and never continues", async () => {
	const process = recorder();
	const paused = parseFailpoints("a=kill@2, b=pause@1", process).reach("b");
	const winner = await Promise.race([
		paused,
		new Promise((resolve) => setImmediate(resolve, "still waiting")),
	]);
	expect(winner).toBe("still waiting");
	expect(process.effects).toEqual(["failpoint b\n"]);
});

test("no point is armed by default", () => {
	expect(parseFailpoints("").reach("a")).toBeUndefined();
	expect(noFailpoints.reach("a")).toBeUndefined();
});

test.each(["a", "a=kill", "a=kill@0", "a=explode@1", "=kill@1", "a=kill@1,", "a=kill@1,a=pause@2"])(
	"%j is refused",
	(spec) => {
		expect(() => parseFailpoints(spec)).toThrow(expect.objectContaining({ code: "invalid_argument" }));
	},
);
