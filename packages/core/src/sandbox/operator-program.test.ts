import { existsSync, readFileSync } from "node:fs";
import { systemClock } from "@parley/base";
import { expect, test, vi } from "vitest";
import { findOperatorProgram, operatorEnvironment, startOperatorProgram } from "./operator-program.ts";

const path = process.env["PATH"] ?? "";

function isAlive(pid: number): boolean {
	const file = `/proc/${pid}/status`;
	return existsSync(file) && /^State:\s+[^ZX]/m.test(readFileSync(file, "utf8"));
}

async function run(script: string, environment: Record<string, string> = { PATH: path }) {
	const lines: string[] = [];
	const program = await startOperatorProgram(
		{
			command: "sh",
			args: ["-c", script],
			cwd: "/",
			environment,
			onLine: (line) => lines.push(line),
		},
		systemClock,
	);
	return { program, lines };
}

test("a program runs under its own process id, with line output and only its own environment", async () => {
	const { program, lines } = await run("echo $$; echo error >&2; env; printf 'last'", {
		PATH: path,
		LLAMA: "x",
	});
	expect(await program.ended).toEqual({ code: 0, signal: null });
	expect(lines.slice(0, 2)).toEqual([String(program.pid), "error"]);
	expect(lines.at(-1)).toBe("last");
	const names = lines.flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
	expect(names.filter((name) => !["PATH", "LLAMA", "PWD", "OLDPWD", "SHLVL", "_"].includes(name))).toEqual(
		[],
	);
	expect(names).toContain("LLAMA");
});

test("a program that ignores the request to end is killed together with its child processes", async () => {
	const { program, lines } = await run("trap '' TERM; sleep 100 & echo $!; wait; sleep 100");
	await vi.waitUntil(() => lines.length > 0);
	program.stop();
	expect(await program.ended).toEqual({ code: null, signal: "SIGKILL" });
	await vi.waitUntil(() => !isAlive(Number(lines[0])));
});

test("a missing program is not found", async () => {
	await expect(findOperatorProgram("no-such-program", { PATH: path })).rejects.toMatchObject({
		code: "not_found",
	});
	await expect(findOperatorProgram("sh", { PATH: path })).resolves.toMatch(/\/sh$/);
});

test("an operator's program gets only the variables of commands and of its prefixes", () => {
	const environment = {
		PATH: "/bin",
		ANTHROPIC_API_KEY: "k",
		PARLEY_TOKEN: "t",
		LLAMA_API_KEY: "own",
		CUDA_X: "1",
	};
	expect(operatorEnvironment(environment, ["LLAMA_", "CUDA_"])).toEqual({
		PATH: "/bin",
		LLAMA_API_KEY: "own",
		CUDA_X: "1",
	});
});
