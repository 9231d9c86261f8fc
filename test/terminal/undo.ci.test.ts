import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "./terminal-test.ts";

test("/diff shows the file changes of the last turn, and /undo restores the files", async ({ setup }) => {
	const script = join(setup.work, "run.sh");
	writeFileSync(script, "old\n", { mode: 0o755 });
	const chat = await setup.chat();
	for (const line of ["edit: run.sh <<< old >>> new", "write: made.txt <<< one"]) {
		await chat.enter(line);
		await chat.shows("y yes · n no");
		await chat.enter("y");
		await chat.rests("returned:");
	}
	await chat.enter("/diff");
	await chat.rests('File changes of the turn "write: made.txt <<< one":');
	expect(chat.received).toContain("\u001b[32m  +one\u001b[39m");
	await setup.killGateway();
	await setup.startGateway();
	await chat.shows("connected again");
	await chat.enter("/undo");
	await chat.shows("Allow undo the changes of 1 file?");
	await chat.enter("y");
	await chat.rests("- deleted made.txt");
	expect(existsSync(join(setup.work, "made.txt"))).toBe(false);
	writeFileSync(script, "by hand\n");
	await chat.enter("/undo");
	await chat.rests("- run.sh: changed since the turn");
	await chat.enter("/undo now");
	await chat.rests("Unknown text after /undo: now.");
	writeFileSync(script, "new\n");
	await chat.enter("/undo");
	await chat.shows("y yes · n no");
	await chat.enter("y");
	await chat.rests("- restored run.sh");
	expect(readFileSync(script, "utf8")).toBe("old\n");
	expect(statSync(script).mode & 0o777).toBe(0o755);
	await chat.enter("/undo");
	await chat.rests("no file changes to undo");
});
