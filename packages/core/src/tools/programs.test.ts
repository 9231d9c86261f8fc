import { chmod, mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDirectory } from "../testing/tool-context.ts";
import { executedBy } from "./programs.ts";

/** A workspace, and a directory of programs. */
async function workspace() {
	const directory = await createDirectory();
	const cwd = join(directory.path, "work");
	const bin = join(directory.path, "bin");
	for (const path of [join(cwd, "sub"), bin]) await mkdir(path, { recursive: true });
	for (const name of ["build.sh", "x.py", "data.csv", "app.log", "Makefile", "sub/run.sh"]) {
		await writeFile(join(cwd, name), name);
	}
	for (const name of ["sh", "bash", "python3", "make", "cat", "timeout", "env"]) {
		await writeFile(join(bin, name), name);
		await chmod(join(bin, name), 0o755);
	}
	const look = async (command: string) => {
		const places = { cwd, home: "/nowhere", roots: [cwd], forbidden: [], path: bin };
		const { programs, scripts } = await executedBy(command, places);
		const lines = (text: string, base: string): string[] =>
			text.split("\n").flatMap((line) => {
				const path = line.split(" ").find((word) => word.startsWith(`${base}/`));
				return path === undefined ? [] : [path.slice(base.length + 1)];
			});
		return { programs, scripts, found: { programs: lines(programs, bin), scripts: lines(scripts, cwd) } };
	};
	return { cwd, bin, look, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

test.each([
	["cat app.log", ["cat"], []],
	["constructor && cat __proto__ | toString", ["cat"], []],
	["sh build.sh", ["sh"], ["build.sh"]],
	["cd sub && ./run.sh arg", [], ["sub/run.sh"]],
	["FOO=1 python3 -u x.py", ["python3"], ["x.py"]],
	["bash -c 'sh build.sh | cat'", ["bash", "cat", "sh"], ["build.sh"]],
	["cat build.sh | bash", ["bash", "cat"], ["build.sh"]],
	["bash < build.sh", ["bash"], ["build.sh"]],
	["timeout 10 cat app.log", ["cat", "timeout"], []],
	["env python3 x.py", ["env", "python3"], ["x.py"]],
	["echo $(sh build.sh)", ["sh"], ["build.sh"]],
	["make all", ["make"], ["Makefile"]],
])("of %s it finds what runs, and what is run by it", async (command, programs, scripts) => {
	await using space = await workspace();
	const { found } = await space.look(command);
	expect(found.programs).toEqual(expect.arrayContaining(programs));
	expect(found.scripts).toEqual(scripts);
	if (scripts.length === 0) expect(found.programs).toEqual(programs);
});

test("what it finds is another thing when the content, the file or the way to it is another", async () => {
	await using space = await workspace();
	const { cwd, bin, look } = space;
	const seen = new Set<string>();
	const note = async () => {
		const { programs, scripts } = await look("python3 x.py");
		seen.add(`${programs}\n${scripts}`);
	};
	await note();
	await note();
	expect(seen.size).toBe(1);
	await writeFile(join(cwd, "x.py"), "o.py");
	await note();
	await writeFile(join(cwd, "new.py"), "o.py");
	await rename(join(cwd, "new.py"), join(cwd, "x.py"));
	await note();
	await writeFile(join(bin, "python3"), "another");
	await note();
	expect(seen.size).toBe(4);
});

test("a name that is no program must stay none", async () => {
	await using space = await workspace();
	const before = await space.look("deploy");
	await writeFile(join(space.bin, "deploy"), "");
	await chmod(join(space.bin, "deploy"), 0o755);
	expect((await space.look("deploy")).programs).not.toBe(before.programs);
});
