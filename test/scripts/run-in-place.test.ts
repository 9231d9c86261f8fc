import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const runInPlace = new URL("../../packages/cli/bin/run-in-place.mjs", import.meta.url).href;

test("the script exits with the exit code of the program", async () => {
	const { ended } = start("process.exitCode = 7;");
	expect(await ended).toEqual([7, null]);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
	"%s reaches the program, which handles it",
	async (signal) => {
		const { outer, printed, ended } = start(
			`process.once("${signal}", () => process.exit(3)); setInterval(() => {}, 1000); console.log("ready");`,
		);
		await printed("ready");
		outer.kill(signal);
		expect(await ended).toEqual([3, null]);
	},
);

test("a program that a signal killed ends the parent with the same signal", async () => {
	const { ended } = start('process.kill(process.pid, "SIGKILL");');
	expect(await ended).toEqual([null, "SIGKILL"]);
});

test("a missing program is named", async () => {
	const { printed, ended } = start("", "/nowhere/node");
	await printed("cannot run /nowhere/node");
	expect(await ended).toEqual([127, null]);
});

function start(program: string, node = process.execPath) {
	const code = `const { runInPlace } = await import(${JSON.stringify(runInPlace)});
		process.exitCode = await runInPlace(${JSON.stringify(node)}, ["-e", ${JSON.stringify(program)}]);`;
	const outer = spawn(process.execPath, ["--input-type=module", "-e", code], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	const ended = once(outer, "exit");
	let output = "";
	const printed = (text: string) =>
		new Promise<void>((resolve) => {
			for (const stream of [outer.stdout, outer.stderr]) {
				stream.on("data", (chunk: Buffer) => {
					output += chunk.toString();
					if (output.includes(text)) resolve();
				});
			}
		});
	return { outer, printed, ended };
}
