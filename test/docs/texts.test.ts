import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import * as z from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));
const Texts = z.array(z.object({ file: z.string(), line: z.int(), text: z.string() }));

/** One text per package, on a single line of its file. */
const known = [
	["packages/base/src/store/group-commit.ts", "neither commit nor rollback succeeded"],
	["packages/cli/src/texts/ask.ts", "the session was closed before the run ended"],
	["packages/connector/src/inbound/inbox.ts", "an event could not be handled and is retried"],
	[
		"packages/core/src/instructions/agent.md",
		"Prefer the specific tool over a command: for example, read a file",
	],
	[
		"packages/discord/src/catch-up/catch-up.ts",
		"did not read all missed messages: the connector is stopping, or a new session of Discord started",
	],
	["packages/gateway/src/texts/http.ts", "contradictory forwarding headers"],
	["packages/protocol/src/client/gateway-client.ts", "the session could not be resumed now"],
	["packages/slack/src/blocks/check-message.ts", "a rich text block is empty"],
] as const;

function run(...args: string[]): Promise<{ stdout: string; stderr: string }> {
	const program = fileURLToPath(new URL("texts.ts", import.meta.url));
	return promisify(execFile)(process.execPath, [program, ...args], { cwd: root, maxBuffer: 2 ** 24 });
}

test("the texts of each package are listed with their lines", async () => {
	const { stdout } = await run(...known.map(([file]) => file), "--json");
	const texts = Texts.parse(parseJson(stdout, { maxNodes: 100_000 }));
	for (const [file, text] of known) {
		const line =
			readFileSync(`${root}/${file}`, "utf8")
				.split("\n")
				.findIndex((one) => one.includes(text)) + 1;
		expect(texts).toContainEqual({ file, line, text: expect.stringContaining(text) });
	}
});

test("the texts of a package are grouped by folder and file", async () => {
	const { stdout } = await run("protocol");
	expect(stdout).toMatch(
		/^# packages\/protocol\/src\/client$[\s\S]*^gateway-client\.ts$\n +\d+ {2}\S[\s\S]*^ +\d+ {2}the session could not be resumed now$/m,
	);
	expect(stdout).toMatch(/\n[1-9]\d* texts\n$/);
	expect(stdout).not.toContain("packages/core");
});

test("the command reports a name without texts, and exits with 2", async () => {
	await expect(run("protocol", "nowhere")).rejects.toMatchObject({
		code: 2,
		stdout: "",
		stderr: expect.stringContaining('No texts in "nowhere"'),
	});
});
