import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { TestGateway } from "../conformance/gateway.ts";

/** A command with a file that is swapped between the prompt and the approval. The command runs or loads this file. */
interface Form {
	readonly command: string;
	/**
	 * The swapped file with its new content. The test replaces `EVIL` by a path. A file exists at that path only if the
	 * new content ran.
	 */
	readonly swapped: readonly [path: string, content: string];
	/** Other files in the working directory. */
	readonly files?: Readonly<Record<string, string>>;
	/** The content before the swap. By default, a comment. */
	readonly before?: string;
	/** A command that prepares the directory before the prompt. */
	readonly prepare?: string;
	/** The program of the command, if some systems lack it. */
	readonly optional?: string;
	/** True if the command takes several seconds. Only large test runs then execute it to check the attack itself. */
	readonly slow?: boolean;
}

const shell = "#!/bin/sh\necho x > EVIL\n";
const python = "open('EVIL', 'w').close()\n";
const go = 'package main\nimport "os"\nfunc main() { os.Create("EVIL") }\n';
const make = "all:\n\techo x > EVIL\n";

const forms: readonly Form[] = [
	{ command: "make -f x.mk", swapped: ["x.mk", make], optional: "make" },
	{ command: "make -C sub", swapped: ["sub/Makefile", make], optional: "make" },
	{ command: "cd sub && make", swapped: ["sub/Makefile", make], optional: "make" },
	{
		command: "npm --prefix sub test",
		swapped: ["sub/package.json", '{"scripts":{"test":"echo x > EVIL"}}'],
		before: "{}",
	},
	{ command: "python3 -m mod", swapped: ["mod.py", python] },
	{ command: "python3 < app.py", swapped: ["app.py", python] },
	{ command: "PATH=./sub:$PATH run", swapped: ["sub/run", shell] },
	{
		command: "tar -xf a.tar --to-command=./x",
		swapped: ["x", shell],
		files: { "content.txt": "content" },
		prepare: "tar -cf a.tar content.txt",
	},
	{
		command: "git -c core.hooksPath=hooks commit --allow-empty -m x",
		swapped: ["hooks/pre-commit", shell],
		prepare: "git init -q --template=",
	},
	{
		command: "vim -e -s -S x.vim < /dev/null",
		swapped: ["x.vim", 'call writefile(["x"], "EVIL")\nqall!\n'],
		before: '" nothing\n',
		optional: "vim",
	},
	{
		command: "gcc a.c -o p && ./p",
		swapped: ["a.c", '#include <stdio.h>\nint main() { fopen("EVIL", "w"); return 0; }\n'],
		before: "int main() { return 0; }\n",
		optional: "gcc",
	},
	{
		command: "go run .",
		swapped: ["main.go", go],
		files: { "go.mod": "module example.org/m\n" },
		before: "package main\nfunc main() {}\n",
		optional: "go",
		slow: true,
	},
	// Files that the command names, in directories that a scan skips by default.
	{ command: "sh .cache/x.sh", swapped: [".cache/x.sh", shell] },
	{ command: "PATH=./.cache:$PATH run", swapped: [".cache/run", shell] },
	{
		command: "git -c core.hooksPath=.cache commit --allow-empty -m x",
		swapped: [".cache/pre-commit", shell],
		prepare: "git init -q --template=",
	},
	{
		command: "make -Clinked",
		swapped: [".cache/Makefile", make],
		prepare: "ln -s .cache linked",
		optional: "make",
	},
	// Files that the words of the command do not name, or whose name suggests data.
	{ command: "./run.sh", swapped: ["lib/part.sh", shell], files: { "run.sh": "#!/bin/sh\n. lib/part.sh\n" } },
	{ command: "sh x.log", swapped: ["x.log", shell] },
	{ command: "sh < x.txt", swapped: ["x.txt", shell] },
	{ command: "./x.md", swapped: ["x.md", shell] },
	{
		command: "sh run.sh",
		swapped: ["node_modules/dep/main.sh", shell],
		files: { "run.sh": "sh node_modules/dep/main.sh\n" },
	},
	{
		command: "git status",
		swapped: [".git/hooks/fsmonitor", shell],
		prepare: "git init -q --template= && git config core.fsmonitor .git/hooks/fsmonitor",
	},
];

let gateway: TestGateway;
let client: OzzieClient;

beforeAll(async () => {
	gateway = await TestGateway.start();
	client = await OzzieClient.connect(gateway.url);
});
afterAll(async () => {
	await client.leave();
	await gateway[Symbol.asyncDispose]();
});

interface Workshop {
	readonly directory: string;
	/** Path of a file that exists only if the swapped file has run. */
	readonly evil: string;
	/** Replaces the content of the file, with the same times and permissions. */
	swap(): Promise<void>;
}

async function writeFixtures(
	{ swapped, files = {}, before = "# nothing\n" }: Form,
	at: string,
): Promise<Workshop> {
	const directory = gateway.path("work", at);
	const evil = join(directory, "evil.log");
	const [path, content] = swapped;
	const put = async (name: string, text: string): Promise<void> => {
		const file = join(directory, name);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, text.replaceAll("EVIL", evil));
		await chmod(file, 0o755);
		await utimes(file, 1_700_000_000, 1_700_000_000);
	};
	await mkdir(directory, { recursive: true });
	for (const [name, text] of Object.entries({ ...files, [path]: before })) await put(name, text);
	return { directory, evil, swap: () => put(path, content) };
}

async function approve(command: string, { directory, swap }: Pick<Workshop, "directory" | "swap">) {
	await client.call("open_session", { root_dir: directory });
	await client.call("send_message", { content: `run: ${command}` });
	const { payload } = await client.event("prompt.request");
	const { notes } = Object(payload["context"]);
	await swap();
	await client.call("prompt_response", { token: payload["token"], value: true });
	for (;;) {
		const { payload: call } = await client.event("tool.call");
		if (call["status"] !== "started") return { notes, status: call["status"], error: call["error"] };
	}
}

function run(command: string, cwd: string): void {
	spawnSync("bash", ["-c", command], { cwd, stdio: "ignore", env: { ...process.env, ...identity } });
}

const identity = Object.fromEntries(
	["AUTHOR", "COMMITTER"].flatMap((role) => [
		[`GIT_${role}_NAME`, "a"],
		[`GIT_${role}_EMAIL`, "a@example.org"],
	]),
);

test.for([...forms.entries()].map(([index, form]) => ({ ...form, index })))(
	"$command does not run a file that was swapped after the question",
	async ({ index, ...form }) => {
		const setup = await writeFixtures(form, `form-${index}`);
		if (form.prepare !== undefined) run(form.prepare, setup.directory);
		const { status, error } = await approve(form.command, setup);
		expect(status).toBe("failed");
		expect(error).toContain("changed since it was approved: ");
		// For a file of an installed package, the error names the directory of that file.
		const [path] = form.swapped;
		expect(error).toContain(path.startsWith("node_modules") ? dirname(path) : path);
		expect(existsSync(setup.evil)).toBe(false);
		// Without the check, the command must load the swapped file. Otherwise the assertions above would prove nothing.
		if (form.slow && process.env["PARLEY_TEST_SCALE"] === undefined) return;
		if (form.optional !== undefined && !isInstalled(form.optional)) return;
		run(form.command, setup.directory);
		expect(existsSync(setup.evil)).toBe(true);
	},
);

function isInstalled(program: string): boolean {
	return spawnSync("bash", ["-c", `command -v ${program}`]).status === 0;
}

test("a command runs if only logs, databases and files of git changed after the question", async () => {
	const form: Form = { command: "sh run.sh", swapped: ["run.sh", ""], before: "echo x > EVIL\n" };
	const setup = await writeFixtures(form, "noise");
	run("git init -q && git add .", setup.directory);
	const swap = async () => {
		run(
			"echo x > app.log; echo x > data.sqlite-wal; echo x > .run.sh.swp; echo x > notes.md; git add -f app.log",
			setup.directory,
		);
		run("touch run.sh", setup.directory);
	};
	const { notes, status } = await approve(form.command, { ...setup, swap });
	expect(status).toBe("completed");
	expect(existsSync(setup.evil)).toBe(true);
	expect(notes).toContain(
		"runs only if its files stay unchanged (2 here, and files that the command names). " +
			"Not checked: documents, logs, databases, caches, files elsewhere",
	);
});

test.for<[fact: string, path: string]>([
	["files", "run.sh"],
	["named", ".cache/run.sh"],
])(
	"a command that is approved with other arguments is bound to the files of the prompt: %s",
	async ([fact, path]) => {
		const form: Form = { command: `sh ${path}`, swapped: [path, shell] };
		const setup = await writeFixtures(form, `changed-${fact}`);
		await client.call("open_session", { root_dir: setup.directory });
		await client.call("send_message", { content: `run: ${form.command}` });
		const { token } = (await client.event("prompt.request")).payload;
		await setup.swap();
		const changed = { token, value: true, arguments: { cmd: `sh ${path} again` } };
		await expect(client.call("prompt_response", changed)).rejects.toThrow(
			`changed since the question was asked: ${fact}`,
		);
		await client.call("prompt_response", { token, cancelled: true });
		expect(existsSync(setup.evil)).toBe(false);
	},
);
