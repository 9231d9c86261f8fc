import { chmod, mkdir, readdir, readFile, realpath, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasBubblewrap, shellCommand } from "../testing/commands.ts";
import { createDirectory } from "../testing/tool-context.ts";
import type { Sandbox } from "../vocabulary/sandbox.ts";
import { findProgram } from "./commands/environment.ts";
import { createSandboxes, type SandboxesOptions } from "./sandboxes.ts";

const testInside = test.skipIf(!hasBubblewrap);

let directory: Awaited<ReturnType<typeof createDirectory>>;
/** Root of one session. Contains `project`, the root of a second session. Neither session may read `outside`. */
let wide: string;
let project: string;
let outside: string;

beforeEach(async () => {
	directory = await createDirectory();
	[wide, project, outside] = ["wide", "wide/team/project", "outside"].map((name) =>
		join(directory.path, name),
	) as [string, string, string];
	await mkdir(project, { recursive: true });
	await mkdir(outside);
	await writeFile(join(outside, "secret"), "secret of the operator");
});
afterEach(() => directory[Symbol.asyncDispose]());

async function sandboxOf(root: string, changes: Partial<SandboxesOptions> = {}): Promise<Sandbox> {
	const options: SandboxesOptions = {
		mode: "required",
		clock: systemClock,
		ids: createIds(),
		log: silentLogger,
		hidden: [],
		environment: { PATH: process.env["PATH"], HOME: directory.path },
		...changes,
	};
	return await createSandboxes(options).of({ chat: true, roots: [root] });
}

/**
 * Creates a directory with a program `bwrap`. At every start, the program runs `line` and then the system's bwrap.
 * Returns the path of the directory.
 */
async function pathWith(line: string): Promise<string> {
	const bin = join(directory.path, "bin");
	await mkdir(bin);
	const real = await findProgram("bwrap", "/usr/bin:/usr/local/bin:/bin");
	await writeFile(join(bin, "bwrap"), `#!/bin/sh\n${line}\nexec ${real} "$@"\n`);
	await chmod(join(bin, "bwrap"), 0o755);
	return bin;
}

const attack = "touch made; cat secret";

testInside.each(["wide/team/project", "wide/team"])(
	"a root is refused after another command put a link at %s",
	async (name) => {
		const sandbox = await sandboxOf(project);
		const replaced = join(directory.path, name);
		await mkdir(join(outside, "project"));
		const line = `mv ${replaced} ${wide}/aside && ln -s ${outside} ${replaced}`;
		expect(await (await sandboxOf(wide)).run(shellCommand(line, wide))).toMatchObject({
			code: 0,
			output: "",
		});
		const where = await realpath(project);
		await expect(sandbox.run(shellCommand(attack, project))).rejects.toThrow(
			`cannot use the root ${JSON.stringify(project)}: it leads to ${JSON.stringify(where)} now`,
		);
		expect(await readdir(outside)).toEqual(["project", "secret"]);
		expect(await readdir(join(outside, "project"))).toEqual([]);
	},
);

testInside("a directory that replaces a root is used", async () => {
	const sandbox = await sandboxOf(project);
	await rename(project, join(wide, "aside"));
	await mkdir(project);
	await writeFile(join(project, "note"), "new");
	expect(await sandbox.run(shellCommand("cat note", project))).toMatchObject({ output: "new" });
});

testInside("a missing root is refused by its name", async () => {
	const sandbox = await sandboxOf(project);
	await rename(project, join(wide, "aside"));
	await expect(sandbox.run(shellCommand("true", project))).rejects.toThrow(
		`cannot use the root ${JSON.stringify(project)}: it does not exist`,
	);
});

testInside("a link that appears after the check of the root reaches nothing outside", async () => {
	const swap = `[ -d ${outside}/on ] && [ ! -h ${project} ] && mv ${project} ${wide}/aside && ln -s ${outside} ${project}`;
	const path = await pathWith(swap);
	const sandbox = await sandboxOf(project, { path });
	await mkdir(join(outside, "on"));
	await expect(sandbox.run(shellCommand(attack, project))).rejects.toThrow("No command ran");
	expect(await readdir(outside)).toEqual(["on", "secret"]);
	expect(await readdir(join(wide, "aside"))).toEqual([]);
});

testInside("a working directory that becomes a link while the sandbox is built is refused", async () => {
	const sub = join(project, "sub");
	const swap = `[ -d ${outside}/on ] && [ ! -h ${sub} ] && mv ${sub} ${wide}/aside && ln -s other ${sub}`;
	const sandbox = await sandboxOf(project, { path: await pathWith(swap) });
	for (const path of [sub, join(project, "other"), join(outside, "on")]) await mkdir(path);
	await expect(sandbox.run(shellCommand("touch made", sub))).rejects.toThrow(
		`cannot use the working directory ${JSON.stringify(sub)}`,
	);
	expect(await readdir(join(project, "other"))).toEqual([]);
	expect(await readdir(join(wide, "aside"))).toEqual([]);
});

testInside("a command runs after its root was replaced once while the sandbox was built", async () => {
	const swap = `[ -d ${outside}/on ] && rmdir ${outside}/on && mv ${project} ${wide}/aside && mkdir ${project}`;
	const sandbox = await sandboxOf(project, { path: await pathWith(swap) });
	await mkdir(join(outside, "on"));
	expect(await sandbox.run(shellCommand("touch made; pwd", project))).toMatchObject({
		output: `${project}\n`,
	});
	expect(await readdir(project)).toEqual(["made"]);
	expect(await readdir(join(wide, "aside"))).toEqual([]);
});

testInside(
	"a protected directory that becomes a link before it is bound shows no files outside",
	async () => {
		const github = join(project, ".github");
		await mkdir(join(github, "workflows"), { recursive: true });
		// If the link is the source of the mount, bubblewrap resolves it to /etc of this system. If the link is the
		// target, bubblewrap resolves it to /etc of the sandbox.
		const link = `ln -s ${relative(project, "/etc")} ${github}`;
		const swap = `[ -d ${outside}/on ] && [ ! -h ${github} ] && mv ${github} ${project}/aside && ${link}`;
		const sandbox = await sandboxOf(project, { path: await pathWith(swap) });
		const line = "[ ! -e /etc/shadow ] && echo hidden";
		expect(await sandbox.run(shellCommand(line, project))).toMatchObject({ output: "hidden\n" });
		await mkdir(join(outside, "on"));
		expect(await sandbox.run(shellCommand(line, project))).toMatchObject({ output: "hidden\n" });
		expect(await realpath(github)).toBe("/etc");
	},
);

testInside("a directory of programs that became a link shows no files outside", async () => {
	const tools = join(directory.path, ".local/bin");
	await mkdir(tools, { recursive: true });
	await writeFile(join(tools, "greet"), "#!/bin/sh\necho hello\n", { mode: 0o755 });
	const sandbox = await sandboxOf(project);
	const line = `ls ${tools}; cat ${tools}/secret`;
	expect((await sandbox.run(shellCommand(line, project))).output).toContain("greet\n");
	await rename(tools, join(directory.path, "aside"));
	await symlink(outside, tools);
	const { output } = await sandbox.run(shellCommand(line, project));
	expect(output).not.toContain("secret of");
	expect(output).toContain("No such file or directory");
});

testInside("a directory of programs that is a link when the gateway starts is shown", async () => {
	await mkdir(join(directory.path, ".local"));
	await mkdir(join(directory.path, "programs"));
	await writeFile(join(directory.path, "programs/greet"), "#!/bin/sh\necho hello\n", { mode: 0o755 });
	await symlink("../programs", join(directory.path, ".local/bin"));
	const sandbox = await sandboxOf(project);
	const line = `${directory.path}/.local/bin/greet`;
	expect(await sandbox.run(shellCommand(line, project))).toMatchObject({ output: "hello\n" });
	// In a root that contains the link, a command sees the link itself.
	expect(await (await sandboxOf(directory.path)).run(shellCommand(line, wide))).toMatchObject({ code: 0 });
});

testInside(
	"a command cannot move the parent of a hidden directory to show it to the next command",
	async () => {
		const data = join(wide, "team/state/data");
		await mkdir(data, { recursive: true });
		await writeFile(join(data, "token"), "token of the gateway");
		const sandbox = await sandboxOf(wide, { hidden: [data] });
		const { output } = await sandbox.run(
			shellCommand(
				"mv team moved; mv team/state team/moved; touch team/made team/state/made; echo done",
				wide,
			),
		);
		expect(output).toMatch(/busy\n.*busy\ndone\n$/i);
		const found = await sandbox.run(shellCommand("grep -r gateway .; echo searched", wide));
		expect(found.output).toBe("searched\n");
		expect(await readFile(join(data, "token"), "utf8")).toBe("token of the gateway");
		expect(await readdir(join(wide, "team"))).toEqual(["made", "project", "state"]);
	},
);

testInside("a command cannot move the parent of an operator's file to replace it", async () => {
	const policy = join(wide, "team/settings/policy.yaml");
	await mkdir(dirname(policy));
	await writeFile(policy, "rules");
	const sandbox = await sandboxOf(wide, { steering: [policy] });
	const line = "mv team moved && mkdir -p team/settings && echo mine >team/settings/policy.yaml";
	expect((await sandbox.run(shellCommand(line, wide))).code).not.toBe(0);
	await sandbox.run(
		shellCommand("cd team && mv settings x && mkdir settings && echo mine >settings/policy.yaml", wide),
	);
	expect(await readFile(policy, "utf8")).toBe("rules");
});

testInside("links to a file of the operator and to a home directory do not block commands", async () => {
	const policy = join(wide, "settings/policy.yaml");
	await mkdir(join(wide, "settings/home"), { recursive: true });
	await writeFile(policy, "rules");
	await symlink("settings", join(wide, "link"));
	const environment = { PATH: process.env["PATH"], HOME: join(wide, "link/home") };
	const sandbox = await sandboxOf(wide, { steering: [join(wide, "link/policy.yaml")], environment });
	const { output } = await sandbox.run(shellCommand("echo mine >settings/policy.yaml; echo done", wide));
	expect(output).toMatch(/Read-only file system\ndone\n$/);
	expect(await readFile(policy, "utf8")).toBe("rules");
});

testInside("after a command, no file is removed in a directory behind a link at the root", async () => {
	// The directory that replaces the root contains a repository with a hook, as if the command had created both.
	const sandbox = await sandboxOf(project);
	const running = sandbox.run(
		shellCommand("touch up; until [ -e ../go ] || [ -e go ]; do sleep 0.05; done", project),
	);
	await expect.poll(() => readdir(project)).toContain("up");
	await rename(project, join(wide, "aside"));
	await symlink(outside, project);
	await mkdir(join(outside, ".git/hooks"), { recursive: true });
	await writeFile(join(outside, ".git/HEAD"), "ref: refs/heads/main\n");
	await writeFile(join(outside, ".git/config"), "[core]\n\tsshCommand = mine\n");
	await writeFile(join(outside, ".git/hooks/pre-commit"), "#!/bin/sh\n");
	await writeFile(join(wide, "aside/go"), "");
	expect((await running).output).toContain("the root was replaced while the command ran");
	expect(await readdir(join(outside, ".git"))).toEqual(["HEAD", "config", "hooks"]);
	expect(await readFile(join(outside, ".git/config"), "utf8")).toContain("sshCommand");
	expect(await readdir(join(outside, ".git/hooks"))).toEqual(["pre-commit"]);
});
