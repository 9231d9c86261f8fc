// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell expands these
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paced, seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createDirectory } from "../../testing/tool-context.ts";
import { splitBlindly, splitCommands, splitPlainly } from "./words.ts";

function wordsOf(text: string, variables: Record<string, string> = {}): (readonly string[])[] {
	return splitCommands(text, variables).map(({ words }) => words);
}

test.each([
	["a b  c", [["a", "b", "c"]]],
	["a 'b c' \"d e\"", [["a", "b c", "d e"]]],
	["a''b \"\"", [["ab", ""]]],
	["a\\ b \\'c", [["a b", "'c"]]],
	['a "\\$x \\n \\""', [["a", '$x \\n "']]],
	["a $'x\\ty\\x41\\101\\u00e9\\''", [["a", "x\tyAA\u{e9}'"]]],
	["a b # c 'd\ne", [["a", "b"], ["e"]]],
	["a#b", [["a#b"]]],
	["a; b && c || d | e & f\ng", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]],
	["(a b) { c; }", [["a", "b"], ["c"]]],
	["if a; then b; else c; fi", [["a"], ["b"], ["c"]]],
	["X=1 a $X", [["a", "1"]]],
	["X='b c'; a $X \"$X\"", [["a", "b", "c", "b c"]]],
	["a $1 ${y} $", [["a", "\0", "\0", "$"]]],
	["a x$(b c)y `d`", [["a", "x\0y", "\0"], ["b", "c"], ["d"]]],
	['a "$(b "$(c)")"', [["a", "\0"], ["b", "\0"], ["c"]]],
	["a <(b)", [["a"], ["b"]]],
	["a 'b", [["a", "b"]]],
	['a "b', [["a", "b"]]],
	["a $(b", [["a", "\0"], ["b"]]],
	["a \\", [["a", ""]]],
	["", []],
])("%j has the words %j", (text, expected) => {
	expect(wordsOf(text)).toEqual(expected);
});

test("redirections are separate from words", () => {
	expect(splitCommands("a b >c 2>>d <e <<<f &>g >|h 2>&1 i", {})).toEqual([
		{ words: ["a", "b", "i"], outputs: ["c", "d", "g", "h", "1"], inputs: ["e", "f"] },
	]);
});

test("known variables are replaced, and split like in a shell", () => {
	expect(wordsOf('ls $HOME/x "${HOME}"', { HOME: "/home/a b" })).toEqual([
		["ls", "/home/a", "b/x", "/home/a b"],
	]);
});

test("plain words are parsed like in a real shell", () => {
	const texts = [
		"a 'b'\"c\"d\\e",
		"'a\\b' \"a\\b\" a\\\\b",
		"$'\\a\\e\\n\\0\\x7e' x",
		"a=b 'c=d' \"e\"=f",
		"\"a'b\" 'a\"b'",
		"a\\\nb 'c\nd'",
		'"a\\\nb"',
		"-- -x --y=z",
	];
	for (const text of texts) {
		const { stdout } = spawnSync("/bin/bash", ["-c", `printf '%s\\0' x ${text}`], { encoding: "utf8" });
		const [words = []] = wordsOf(`x ${text}`);
		expect(
			words.map((word) => word.replaceAll("\0", "")),
			text,
		).toEqual(stdout.split("\0").slice(0, -1));
	}
});

test("in the blind reading, quotes hide no text", () => {
	expect(splitBlindly("a 'b; c' \"d$(e)\" {f,g} ${h} i\\j")).toEqual([
		["a", "b"],
		["c", "d$"],
		["e"],
		["f", "g", "\0", "ij"],
	]);
});

test(
	"the words of a plain command are exactly those that a real shell runs",
	async () => {
		await using directory = await createDirectory();
		// The programs of a pipe run at the same time, and bash flushes its output after each line feed. A record has no
		// line feed, so each program writes its record at once, and records are not mixed.
		const recorder = '#!/bin/bash\nprintf \'%s\\0\' "${0##*/}" "$@" $\'\\x01\' >> "$RECORD"\n';
		for (const name of ["ls", "rm", "a"]) {
			writeFileSync(join(directory.path, name), recorder, { mode: 0o755 });
		}
		const pieces = [
			"ls",
			"rm",
			"a",
			" ",
			" ",
			" ",
			"'",
			'"',
			"\\",
			";",
			"&&",
			"|",
			"~",
			"#",
			"2>&1",
			">/dev/null",
			"=",
			"-x",
		];
		const more = ["!", "x", "^", "%", ":", "@", "\t", ">", "2", "&", "||", ","];
		const random = seededIds(7);
		let run = 0;
		for (let round = 0; round < 4_000 && run < 80; round += 1) {
			const bytes = Buffer.from(random.create("x").slice(2, 12));
			const text = [...bytes].map((byte) => [...pieces, ...pieces, ...more][byte % 48] ?? "").join("");
			const commands = splitPlainly(`ls ${text}`);
			// A shell may skip commands after `&&` and `||`, but it must not run words that `splitPlainly` does not return.
			if (!commands) continue;
			run += 1;
			const record = join(directory.path, "record");
			rmSync(record, { force: true });
			const environment = { PATH: directory.path, RECORD: record };
			spawnSync("/bin/bash", ["-c", `ls ${text}`], { env: environment, cwd: directory.path });
			const ran = readFileSync(record, "utf8")
				.split("\x01\0")
				.filter((entry) => entry !== "");
			const seen = commands.map((words) => words.map((word) => `${word}\0`).join(""));
			for (const entry of ran) expect(seen, text).toContain(entry);
		}
		expect(run).toBeGreaterThan(50);
	},
	paced(60_000),
);
