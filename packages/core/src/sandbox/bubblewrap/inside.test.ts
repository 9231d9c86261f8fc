import { expect, test } from "vitest";
import { memorySizes } from "./inside.ts";

const GIB = 1024 ** 3;

test("directories in memory have at most two GiB together, and a quarter of the memory on a smaller machine", () => {
	const sumOf = (memory: number): number => {
		const { tmp, home, varTmp, shm } = memorySizes(memory);
		return tmp + home + varTmp + shm;
	};
	expect(sumOf(64 * GIB)).toBe(2 * GIB);
	expect(sumOf(4 * GIB)).toBe(GIB);
	expect(sumOf(GIB / 2)).toBe(GIB / 8);
	// A size of 0 would mean no limit.
	expect(Object.values(memorySizes(0)).every((size) => size > 0)).toBe(true);
});
