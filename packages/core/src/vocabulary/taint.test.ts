import { expect, test } from "vitest";
import type { ActionClass } from "./taint.ts";
import { completesTaint, joinTaints, readTaint, type Taint, taintNotes, taintOf } from "./taint.ts";

test.each<[readonly ActionClass[], Taint]>([
	[[], ""],
	[["read", "write", "exec-sandboxed", "outside-write", "control", "person"], ""],
	[["exec-unsandboxed"], "PE"],
	[["egress"], "UE"],
	[["outside-read"], "P"],
	[["secret"], "P"],
	[["irreversible"], "E"],
	[["secret", "outside-read"], "P"],
	[["egress", "irreversible"], "UE"],
	[["irreversible", "secret"], "PE"],
	[["secret", "egress"], "UPE"],
])("%j adds the taint %j", (classes, taint) => {
	expect(taintOf(classes)).toBe(taint);
});

test("joined taints are sorted, without duplicates", () => {
	expect(joinTaints([])).toBe("");
	expect(joinTaints(["E", "P", "UE"])).toBe("UPE");
	expect(joinTaints(["PE", "", "P"])).toBe("PE");
});

const all: readonly Taint[] = ["", "U", "P", "E", "UP", "UE", "PE", "UPE"];

test("a person decides the call that completes the three kinds of taint, and each later external effect", () => {
	const completing = (before: Taint): Taint[] => all.filter((own) => completesTaint(before, own));
	expect(completing("")).toEqual(["UPE"]);
	expect(completing("U")).toEqual(["PE", "UPE"]);
	expect(completing("P")).toEqual(["UE", "UPE"]);
	expect(completing("E")).toEqual(["UP", "UPE"]);
	expect(completing("UP")).toEqual(["E", "UE", "PE", "UPE"]);
	expect(completing("UE")).toEqual(["P", "UP", "PE", "UPE"]);
	expect(completing("PE")).toEqual(["U", "UP", "UE", "UPE"]);
	expect(completing("UPE")).toEqual(["E", "UE", "PE", "UPE"]);
});

test("a taint is described in words, and parsed from its stored form", () => {
	expect(taintNotes("")).toEqual([]);
	expect(taintNotes("UE")).toEqual(["so far in this session: untrusted text, external effects"]);
	for (const taint of all) expect(readTaint(taint)).toBe(taint);
	for (const odd of ["X", "EU", "UU", "u"])
		expect(() => readTaint(odd), odd).toThrow(`cannot read the stored taint "${odd}": restore a backup`);
});
