import { expect, test } from "vitest";
import { isExcepted } from "./exceptions.ts";
import { checkedFiles, checkSource, packageOf } from "./readings.ts";

function findings(file: string, source: string): string[] {
	return checkSource(file, source).findings.map(({ line, kind, rule }) => `${line} ${kind} ${rule}`);
}

test("comments and texts of a source are read, with their lines", () => {
	const source = [
		"/**",
		" * Returns the session.",
		" *",
		" * @param id what the client sent, or what nobody knows",
		" * @returns Nothing is returned for an unknown id.",
		" */",
		"export function read(id: string): string {",
		"\t// The channel is trusted",
		"\t// no more.",
		`\tthrow new Error(\`The session \${id} is not there any more\`);`,
		"}",
		'export const text = "The gateway " + "tells of it";',
	].join("\n");
	expect(findings("packages/core/src/session.ts", source)).toEqual([
		"4 comments start",
		"5 comments start",
		"8 comments no-longer",
		"10 texts no-longer",
		"12 texts verb",
	]);
});

test("code, directives, SQL and single words of a source are not read", () => {
	const source = [
		"// biome-ignore lint: nobody reads this",
		"/**",
		" * Parses a line.",
		" * @example",
		" * what where nobody anew",
		" * @see where nobody knows",
		" */",
		"/* ```",
		"what nobody told of",
		"``` */",
		'import { rows } from "./nobody knows what.ts";',
		"const rows = sql`select what from nobody where anew is any more`;",
		'const query = "select what from nobody where anew";',
		'const pattern = "nobody|what|anew .* [a-z]+ {2}";',
		'type Name = "what nobody told";',
	].join("\n");
	expect(findings("packages/core/src/session.ts", source)).toEqual([]);
});

test("the titles of tests are read, and other texts of a test are not", () => {
	const source = [
		'test("what nobody answers is refused", () => {',
		'\tsend("what nobody answers is refused");',
		"});",
		'test.each([1])("%s is there no more", () => {});',
		'describe("Of all the sessions", () => {});',
	].join("\n");
	expect(findings("packages/core/src/session.test.ts", source)).toEqual([
		"1 names start",
		"4 names no-longer",
		"5 names start",
	]);
});

test("paragraphs, items, headings and cells of a page are read, and code is not", () => {
	const page = [
		"# What nobody knows",
		"",
		"The gateway starts. It",
		"tells of the address.",
		"",
		"```sh",
		"what nobody told",
		"```",
		"- `what nobody` is a name of a field",
		"- Where there is none, it stops",
		"  and starts again",
		"",
		"| key | purpose |",
		"| --- | --- |",
		"| `what nobody` | the sender, or somebody else |",
		"",
		"<!-- What nobody reads. -->",
		"[the limits](what-nobody-told-of-anew.md) of a client",
	].join("\n");
	expect(findings("docs/page.md", page)).toEqual([
		"1 docs start",
		"3 docs verb",
		"10 docs start",
		"15 docs person",
	]);
});

test("a prompt for models is a text", () => {
	expect(findings("packages/core/src/system.md", "Nobody may stop the run.")).toEqual(["1 texts start"]);
});

test("a sentence with several violations is one finding", () => {
	const reading = checkSource("docs/page.md", "What somebody tells of is there no more. It is short.");
	expect(reading.sentences.docs).toBe(2);
	expect(reading.findings.length).toBe(1);
});

test("an exception is for its path and its text", () => {
	const exceptions = [{ path: "docs/protocols", text: "tells of", reason: "planted" }];
	const text = "The frame tells of it.";
	expect(isExcepted(exceptions, "docs/protocols/ozzie.md", text)).toBe(true);
	expect(isExcepted(exceptions, "docs/protocols.md", text)).toBe(false);
	expect(isExcepted(exceptions, "docs/protocols/ozzie.md", "The frame is there.")).toBe(false);
	expect(checkSource("docs/protocols/ozzie.md", text, exceptions).findings).toEqual([]);
});

test("sources, pages and scripts are checked, and generated files and fixtures are not", () => {
	const files = checkedFiles();
	expect(files).toEqual(
		expect.arrayContaining([
			"README.md",
			"docs/decisions/README.md",
			"packages/core/src/runtime.ts",
			"packages/core/src/instructions/system.md",
			"scripts/checks.mjs",
			"test/docs/plain-english.ts",
		]),
	);
	expect(files.filter((file) => /node_modules|\/gen\/|fixtures|\.golden\.md/.test(file))).toEqual([]);
	expect(
		checkedFiles(["packages/base", "README.md"]).every((file) => /^packages\/base\/|^README/.test(file)),
	).toBe(true);
});

test.each([
	["packages/core/src/runtime.ts", "core"],
	["docs/decisions/README.md", "decisions"],
	["docs/models.md", "docs"],
	["README.md", "docs"],
	["test/docs/plain-english.ts", "test"],
	["vitest.config.ts", "scripts"],
])("findings in %s count for the package %s", (file, name) => {
	expect(packageOf(file)).toBe(name);
});

test("the doc comment of a function starts with a verb", () => {
	const source = [
		"/** The id of a session. */",
		"export const sessionId = 1;",
		"/** The id of a new session. */",
		"export const createId = () => 2;",
		"/** Undefined if the session is unknown. Returns its title. */",
		"async function find(): Promise<void> {}",
		"/** The bytes of the file. */",
		"export function bytes() {}",
		"interface Store {",
		"\t/** Rows in the order of their ids. */",
		"\trows(): void;",
		"\t/** Called after each row. */",
		"\tdone(): void;",
		"}",
		"class Journal {",
		"\t/** Returns the last event. */",
		"\tget last() {}",
		"\t/** Whether the journal has ended. It may start again. */",
		"\tended() {}",
		"\t/** The next event. */",
		"\t#next() {}",
		"}",
		"// The order is stable.",
		"function sort() {}",
	].join("\n");
	const lines = [3, 5, 7, 10, 20];
	expect(findings("packages/core/src/a.ts", source)).toEqual(
		lines.map((line) => `${line} comments function`),
	);
});
