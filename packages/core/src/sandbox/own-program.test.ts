import { expect, test } from "vitest";
import { runOnTerminal, startOwnProgram } from "./own-program.ts";

const run = (script: string, environment: Record<string, string> = {}) =>
	startOwnProgram({ args: ["-e", script], environment });

test("a program of Parley has only the environment that it is given", async () => {
	const own = run("process.exit(process.env.OURS === 'yes' && process.env.PATH === undefined ? 7 : 1)", {
		OURS: "yes",
	});
	expect(await own.ended).toBe(7);
});

test("lines of errors are passed on, also the last one", async () => {
	const { promise, resolve } = Promise.withResolvers<void>();
	const lines: string[] = [];
	const own = startOwnProgram({
		args: ["-e", "process.stderr.write('one\\ntwo')"],
		environment: {},
		onErrorLine: (line) => {
			lines.push(line);
			if (lines.length === 2) resolve();
		},
	});
	await Promise.all([own.ended, promise]);
	expect(lines).toEqual(["one", "two"]);
});

test("a signal that ends the program is reported like in a shell", async () => {
	const own = run("setInterval(() => undefined, 1000)");
	own.signal("SIGKILL");
	expect(await own.ended).toBe(137);
});

test("the input of a program ends with its parent process, and not before", async () => {
	const own = run(
		"process.stdin.resume().on('end', () => process.exit(3)); setImmediate(() => process.exit(0))",
	);
	expect(await own.ended).toBe(0);
});

test("a program at the terminal gets the file as one argument, and its command is split into words as in a shell", async () => {
	expect(await runOnTerminal("test 'a b' =", "a b")).toBe(0);
	expect(await runOnTerminal("test x =", "$(echo x)")).toBe(1);
	expect(await runOnTerminal("no-such-editor", "a")).toBe(127);
});
