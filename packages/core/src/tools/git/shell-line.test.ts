import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { splitCommands } from "../../policy/commands/words.ts";
import { shellLine } from "./judge-git.ts";

const words = [
	"git",
	"a b",
	"it's",
	"$(id)",
	"`id`",
	"\\",
	"",
	"-m",
	"HEAD~1",
	"x\ny",
	'"',
	"é🌱",
	"*",
	"a;b",
	"HEAD^",
];

test("a shell and the command parser find the same words", () => {
	const line = shellLine(words);
	const script = `for word in ${line}; do printf '%s\\0' "$word"; done`;
	const { stdout } = spawnSync("/bin/sh", ["-c", script], { encoding: "utf8" });
	expect(stdout.split("\0").slice(0, -1)).toEqual(words);
	expect(splitCommands(line, {})[0]?.words).toEqual(words);
});

test("words without special characters have no quotes", () => {
	expect(shellLine(["log", "--oneline", "-5", "a/b.ts"])).toBe("log --oneline -5 a/b.ts");
});
