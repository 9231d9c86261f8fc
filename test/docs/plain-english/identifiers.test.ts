import { expect, test } from "vitest";
import { adviceFor, identifiersOf, wordsOf } from "./identifiers.ts";
import { checkSource } from "./readings.ts";

test("a name is split into its words", () => {
	expect(wordsOf("lastHTTPRequest2_sent-at")).toEqual(["last", "http", "request", "sent", "at"]);
	expect(wordsOf("MAX_LINES")).toEqual(["max", "lines"]);
});

test("a name with a banned word gets advice, and a name that only contains its letters gets none", () => {
	expect(adviceFor("isAskedAgain")).toBe('replace "asked", for example by requested, prompt or question');
	expect(adviceFor("mostBytes")).toBe('replace "most", for example by max, maximum or newest');
	expect(adviceFor("most")).toBe('replace "most", for example by max, maximum or newest');
	expect(adviceFor("mayFindThem")).toBe('replace "them", for example by the noun');
	expect(adviceFor("surely")).toBe('replace "surely", for example by certain or required');
	expect(adviceFor("bringUpToDate")).toBe('replace "bring", for example by store, send or open');
	for (const name of ["atMostBytes", "masked", "retold", "unsaid", "taker", "theme", "income", "unattended"])
		expect(adviceFor(name)).toBeUndefined();
});

test("each identifier, member and file name is returned once, with its line", () => {
	const source = [
		"class Session {",
		"\treadonly #heard = 1;",
		"\ttold(): number {",
		"\t\tconst { asked: taken } = this;",
		"\t\treturn this.#heard + taken;",
		"\t}",
		"}",
		'export const row = { "said": 1 };',
	].join("\n");
	const findings = checkSource("packages/core/src/spoken-words.ts", source).findings;
	expect(findings.map(({ kind, line, sentence }) => `${kind} ${line} ${sentence}`)).toEqual([
		"identifiers 1 spoken-words",
		"identifiers 2 heard",
		"identifiers 3 told",
		"identifiers 4 asked",
		"identifiers 4 taken",
	]);
	expect(identifiersOf("a.ts", source).map(({ name }) => name)).not.toContain("said");
});

test("an exception allows a name at its path", () => {
	const exceptions = [{ path: "packages/core/src/store", text: "told", reason: "a column" }];
	const source = "export interface Row {\n\treadonly told: string;\n}\n";
	expect(checkSource("packages/core/src/store/rows.ts", source, exceptions).findings).toEqual([]);
	expect(checkSource("packages/core/src/agent/rows.ts", source, exceptions).findings).toHaveLength(1);
	const longer = source.replace("told", "toldSessions");
	expect(checkSource("packages/core/src/store/rows.ts", longer, exceptions).findings).toHaveLength(1);
});
