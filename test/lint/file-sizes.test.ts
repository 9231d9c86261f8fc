import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const maxLines = 400;

/** Maximum number of lines of large tests. Never add an entry. To remove an entry, split the file by topic. */
const largeTests: Readonly<Record<string, number>> = {
	"packages/cli/src/chat/chat.test.ts": 550,
	"packages/cli/src/doctor/checks/run-checks.test.ts": 640,
	"packages/core/src/agent/client-tools/client-tools.test.ts": 550,
	"packages/core/src/agent/commands-of-a-reply.test.ts": 450,
	"packages/core/src/agent/skills/skills.test.ts": 600,
	"packages/core/src/agent/workflow/run-workflow.test.ts": 500,
	"packages/core/src/agent/workflow/sub-agents.test.ts": 500,
	"packages/core/src/conversation/grants/channel-grants.test.ts": 650,
	"packages/core/src/conversation/place-session.test.ts": 450,
	"packages/core/src/policy/command-tricks.test.ts": 450,
	"packages/core/src/policy/commands/judge-command.test.ts": 500,
	"packages/core/src/tools/git/git.ci.test.ts": 500,
	"packages/core/src/trust/people/people.test.ts": 550,
	"packages/core/src/trust/tokens/tokens.test.ts": 500,
	"packages/core/src/use-cases/schedules/schedules.test.ts": 650,
	"packages/core/src/use-cases/sessions/fork.test.ts": 600,
	"packages/gateway/src/backup/backup.test.ts": 550,
	"packages/gateway/src/config/load.test.ts": 850,
	"packages/gateway/src/wires/http/methods/files.test.ts": 450,
	"packages/gateway/src/wires/shared/event-json.test.ts": 700,
	"test/terminal/chat.ci.test.ts": 600,
	"test/web-fetch/web-fetch.test.ts": 450,
};

/**
 * Files whose lines this test counts. Biome counts a comment of several lines as one line, but this test counts
 * each line.
 */
const files = globSync(["*.{ts,mjs}", "{packages,test,scripts,examples,lint,bin}/**/*.{ts,mjs}"], {
	cwd: root,
	exclude: (path) => /(?:^|\/)(?:gen|dist|node_modules)$/.test(path),
}).map((path) => ({ path, lines: readFileSync(`${root}/${path}`, "utf8").split("\n").length - 1 }));

test(`no file of code or tests has more than ${maxLines} lines, except listed tests`, () => {
	for (const part of ["packages/", "test/", "scripts/", "examples/"]) {
		expect(files.filter(({ path }) => path.startsWith(part))).not.toEqual([]);
	}
	expect(files.length).toBeGreaterThan(2000);
	expect(files.filter(({ path, lines }) => lines > (largeTests[path] ?? maxLines))).toEqual([]);
});

test("each listed file is a test, and still larger than the maximum of other files", () => {
	const large = new Set(files.filter(({ lines }) => lines > maxLines).map(({ path }) => path));
	const unneeded = Object.keys(largeTests).filter((path) => !large.has(path) || !path.endsWith(".test.ts"));
	expect(unneeded).toEqual([]);
});
