import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const byNpx = /npx --no (?:-- )?parley/;

/** Tests that contain a match of `byNpx`, because the policy must recognize such a command. */
const attacks = ["packages/core/src/policy/commands/judge-command.test.ts"];

const files = globSync(["*.md", "{docs,examples,packages,scripts,test}/**/*.{md,ts,mjs,sh,py,1}"], {
	cwd: root,
	exclude: ["**/node_modules/**", "**/dist/**", "**/.venv/**"],
});

test("no page and no text calls the command by npx", () => {
	expect(files.length).toBeGreaterThan(1000);
	expect(byNpx.test(["npx", "--no", "parley", "chat"].join(" "))).toBe(true);
	const calls = files.filter((file) => byNpx.test(readFileSync(`${root}/${file}`, "utf8")));
	expect(calls, "write `parley`").toEqual(attacks);
});
