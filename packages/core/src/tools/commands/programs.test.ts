import { chmod, mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createDirectory } from "../../testing/tool-context.ts";
import { findNamed } from "./programs.ts";

async function workspace() {
	const directory = await createDirectory();
	const [cwd, other, bin] = ["work", "other", "bin"].map((name) => join(directory.path, name));
	if (cwd === undefined || other === undefined || bin === undefined) throw new Error("three directories");
	for (const path of [join(cwd, "sub"), join(other, "deep"), bin]) await mkdir(path, { recursive: true });
	for (const name of ["build.sh", "app.log"]) {
		await writeFile(join(cwd, name), name);
		await writeFile(join(other, name), name);
	}
	for (const path of [".cache", ".git/refs"]) await mkdir(join(cwd, path), { recursive: true });
	await mkdir(join(other, ".cache"));
	for (const path of [".cache/x.sh", ".git/x.sh", "../other/deep/x.sh"])
		await writeFile(join(cwd, path), path);
	await symlink("../other/deep", join(cwd, "linked"));
	await symlink("/proc/self/pagemap", join(cwd, "endless"));
	for (const name of ["sh", "bash", "python3", "make", "cat", "timeout", "env"]) {
		await writeFile(join(bin, name), name);
		await chmod(join(bin, name), 0o755);
	}
	const inspect = async (command: string, roots = [cwd, other]) => {
		const places = { cwd, home: "/nowhere", roots, forbidden: [], path: bin };
		const named = await findNamed(command, places);
		const programs = named.programs.split("\n").flatMap((line) => line.match(/^(\w+): \//)?.[1] ?? []);
		const files = named.files
			.split("\n")
			.map((line) => line.split("\t")[0]?.slice(directory.path.length + 1));
		const directories = named.directories.map((path) => path.slice(directory.path.length + 1));
		return { ...named, found: { programs, files: files.filter(Boolean), directories } };
	};
	return {
		root: directory.path,
		cwd,
		other,
		bin,
		inspect,
		[Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
	};
}

test.each([
	["cat build.sh", ["cat"], ["work/build.sh"], []],
	["sh .cache/x.sh", ["sh"], ["work/.cache/x.sh"], []],
	["./.cache/x.sh", [], ["work/.cache/x.sh"], []],
	["sh .git/x.sh", ["sh"], ["work/.git/x.sh"], []],
	["PATH=./.cache:$PATH run", [], [], ["work/.cache"]],
	["git -c core.hooksPath=.cache commit", [], [], ["work/.cache"]],
	["git -c core.hooksPath=.git/refs commit", [], [], ["work/.git/refs"]],
	["GIT_DIR=.git make -C sub", ["make"], [], []],
	["cd linked && make", ["make"], [], ["other/deep"]],
	["make -C linked && make -C ../other/deep", ["make"], [], ["other/deep"]],
	["npm --prefix linked test", [], [], ["other/deep"]],
	["sh linked/x.sh", ["sh"], ["work/linked/x.sh"], []],
	["make -C../other/deep", ["make"], [], ["other/deep"]],
	["make -C ../other/.cache && make -C ../other", ["make"], [], ["other/.cache", "other"]],
	["cat endless", ["cat"], [], []],
	["constructor && cat __proto__ | toString", ["cat"], [], []],
	["bash -c 'sh build.sh | cat'", ["bash", "cat", "sh"], ["work/build.sh"], []],
	["timeout 10 cat ../other/build.sh", ["cat", "timeout"], ["other/build.sh"], []],
	["env python3 ../other/build.sh", ["env", "python3"], ["other/build.sh"], []],
	["cat app.log ../other/app.log /proc/self/status", ["cat"], [], []],
	["bash < app.log", ["bash"], ["work/app.log"], []],
	["make -C ../other/deep all", ["make"], [], ["other/deep"]],
	["cd ../other && make -C deep", ["make"], [], ["other"]],
	["cat / /usr ..", ["cat"], [], []],
])("in %s the scan finds programs, files and directories", async (command, programs, files, directories) => {
	await using space = await workspace();
	const { found } = await space.inspect(command);
	expect(found.programs).toEqual(expect.arrayContaining(programs));
	expect(found).toMatchObject({ files, directories });
});

test.each(["make -C ..", "cd .. && make", "make -C.."])(
	"%s names the parent directory if the parent is inside the roots",
	async (command) => {
		await using space = await workspace();
		expect((await space.inspect(command)).directories).toEqual([]);
		expect((await space.inspect(command, [space.root])).directories).toEqual([space.root]);
	},
);

test.each([
	["make -C sub", true],
	["cat *.sh", true],
	["make -C $DIR", false],
	["cd $(cat where) && make", false],
	["make -C ../*", false],
	["make -C ~other", false],
	["make -C ../other", true],
	["cd linked && make -C ..", false],
	["sh linked/../x.sh", false],
	["sh ./../other/build.sh", true],
	["pushd sub; popd && sh x.sh", false],
	["cd sub; cd - && sh x.sh", false],
])("%s names only known paths: %s", async (command, known) => {
	await using space = await workspace();
	expect(await space.inspect(command)).toMatchObject({ known });
});

test("a data file that is executable is bound", async () => {
	await using space = await workspace();
	await chmod(join(space.other, "app.log"), 0o755);
	expect((await space.inspect("tar --to-command=../other/app.log -x")).found.files).toEqual([
		"other/app.log",
	]);
});

test("identities change with the content, the path to a file, and the program", async () => {
	await using space = await workspace();
	const { other, bin, inspect } = space;
	const seen = new Set<string>();
	const note = async () => {
		const { programs, files } = await inspect("python3 ../other/link.py");
		seen.add(`${programs}\n${files}`);
	};
	await symlink("build.sh", join(other, "link.py"));
	await note();
	await note();
	expect(seen.size).toBe(1);
	await writeFile(join(other, "build.sh"), "other");
	await note();
	await writeFile(join(other, "same.sh"), "other");
	await symlink("same.sh", join(other, "new"));
	await rename(join(other, "new"), join(other, "link.py"));
	await note();
	await writeFile(join(bin, "python3"), "another");
	await note();
	expect(seen.size).toBe(4);
});

test("a missing program must stay missing", async () => {
	await using space = await workspace();
	const before = await space.inspect("deploy");
	await writeFile(join(space.bin, "deploy"), "");
	await chmod(join(space.bin, "deploy"), 0o755);
	expect((await space.inspect("deploy")).programs).not.toBe(before.programs);
});

test("a command with too many names reports it", async () => {
	await using space = await workspace();
	const { complete } = await space.inspect(`cat ${Array.from({ length: 301 }, (_, n) => `f${n}`).join(" ")}`);
	expect(complete).toBe(false);
	expect((await space.inspect("cat a b c")).complete).toBe(true);
});
