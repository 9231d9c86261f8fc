import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createProgram } from "@parley/cli/program";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = globSync(["*.md", "docs/*.md", "docs/protocols/*.md", "examples/*/README.md"], { cwd: root });
const program = createProgram({ ...process, environment: {}, exitCode: 0, cwd: "/" }, []);

type Command = typeof program;

/** Returns the command lines of a page. Excludes the word `parley` and comments. */
function documented(page: string): string[] {
	const text = readFileSync(`${root}/${page}`, "utf8");
	const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = ""]) =>
		block.replaceAll("\\\n", " ").split("\n"),
	);
	const spans = [...text.replaceAll(/^```.*?^```$/gms, "").matchAll(/`([^`\n]+)`/g)].map(
		([, span = ""]) => span,
	);
	return [...blocks, ...spans].flatMap((line) => {
		const [, args] = /^(?:[A-Z_]+=\S+ )*parley ([a-z-].*)$/.exec(line.split(/ #| \|/)[0]?.trim() ?? "") ?? [];
		return args === undefined ? [] : [args];
	});
}

/** Returns the reason why the program refuses the command line, or undefined if the program accepts it. */
function unknownPart(line: string): string | undefined {
	const words = line
		.replace(/^--(?:data|url) \S+ /, "")
		.replaceAll(/"[^"]*"|'[^']*'|\$\([^)]*\)/g, "TEXT")
		.split(/\s+/);
	const chain: Command[] = [program];
	// Words after `--` are the command line of another program.
	const end = words.indexOf("--");
	for (const word of end < 0 ? words : words.slice(0, end)) {
		const [command] = chain;
		const child = command?.commands.find((one) => one.name() === word || one.aliases().includes(word));
		if (child) chain.unshift(child);
		else if (word.startsWith("-")) {
			const known = chain.some((one) =>
				one.options.some(({ short, long }) => word === short || word === long),
			);
			if (!known && word !== "--help") return `${word} is not an option of ${command?.name()}`;
		} else if (chain.length === 1) return `${word} is not a command`;
	}
	return undefined;
}

test("the pages have many command lines", () => {
	expect(pages.flatMap(documented).length).toBeGreaterThan(150);
});

test.each(pages)("the program knows each command and option in %s", (page) => {
	const unknown = documented(page).flatMap((line) => {
		const part = unknownPart(line);
		return part === undefined ? [] : [`${line}: ${part}`];
	});
	expect(unknown).toEqual([]);
});

test.each([
	["frobnicate", "frobnicate is not a command"],
	["trust grant discord:1:2 --forever", "--forever is not an option of grant"],
	["trust grant discord:1:2 --minutes 5", undefined],
	["--data DIR sessions", undefined],
	["--data DIR frobnicate", "frobnicate is not a command"],
	['policy test "git push --force"', undefined],
])("%s: %s", (line, reason) => {
	expect(unknownPart(line)).toBe(reason);
});
