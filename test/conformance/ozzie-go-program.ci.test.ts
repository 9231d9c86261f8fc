import { execFile } from "node:child_process";
import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, type TestContext, test } from "vitest";
import { TestGateway } from "./gateway.ts";

const sources = fileURLToPath(new URL("go-program", import.meta.url));
/** Search path with the directory of the Go installer, which PATH may lack. */
const PATH = `${process.env["PATH"]}:/usr/local/go/bin`;
const critical = "write: .envrc <<< export A=1";

let directory = "";
let built: { readonly path: string } | { readonly missing: string };

beforeAll(async () => {
	directory = await mkdtemp(join(tmpdir(), "parley-go-program-"));
	const path = join(directory, "go-program");
	const env = { ...process.env, PATH, GOTOOLCHAIN: "local", GOFLAGS: "-mod=readonly -buildvcs=false" };
	try {
		await promisify(execFile)("go", ["build", "-o", path, "."], { cwd: sources, env });
		built = { path };
	} catch (error) {
		const { code } = Object(error);
		if (code !== "ENOENT") throw error;
		built = { missing: "Go is not installed: no program in Go was tried against the gateway" };
	}
});

afterAll(() => rm(directory, { recursive: true, force: true }));

interface Ran {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

async function run(
	gateway: TestGateway,
	{
		path,
		args,
		lines = [],
	}: { readonly path: string; readonly args: readonly string[]; readonly lines?: readonly string[] },
): Promise<Ran> {
	const address = `${gateway.url.replace(/^http/, "ws")}/api/ws`;
	return new Promise((resolve) => {
		const options = { cwd: gateway.path("work"), encoding: "utf8" } as const;
		const child = execFile(path, ["-gateway", address, ...args], options, (error, stdout, stderr) => {
			resolve({ code: Number(error?.code ?? 0), stdout, stderr });
		});
		child.stdin?.end(lines.map((line) => `${line}\n`).join(""));
	});
}

function programOr(skip: TestContext["skip"]): string {
	if ("path" in built) return built.path;
	process.stdout.write(`${built.missing}\n`);
	return skip(built.missing);
}

test("a Go program sends messages, approves and denies, and returns to its session", async ({ skip }) => {
	const path = programOr(skip);
	await using gateway = await TestGateway.start();
	const hello = await run(gateway, { path, args: ["say: hello"] });
	expect(hello).toMatchObject({ code: 0, stdout: "[offline] hello\n" });
	const approved = await run(gateway, { path, args: ["run: echo hi"], lines: ["y"] });
	expect(approved.stderr).toContain("confirm: Allow run echo hi?\n");
	expect(approved.stdout).toContain("hi");
	const denied = await run(gateway, { path, args: ["run: touch ran"], lines: ["n"] });
	expect(denied.stdout).toContain("denied by the approver");
	await expect(access(gateway.path("work", "ran"))).rejects.toThrow("ENOENT");
	const every = await run(gateway, { path, args: ["-y", "run: echo hi"] });
	expect(every.stderr).not.toContain("confirm:");
	const [, session = ""] = /^session: (sess_\S+)$/m.exec(hello.stderr) ?? [];
	const back = await run(gateway, { path, args: ["-tui", "-s", session, "say: one", "say: two"] });
	expect(back).toMatchObject({ code: 0, stdout: "[offline] one\n[offline] two\n" });
	expect(back.stderr).toContain('"content":"say: hello"');
	const lost = await run(gateway, { path, args: ["-s", "sess_none", "say: x"] });
	expect(lost).toMatchObject({
		code: 1,
		stderr: "error: open_session failed: session not found: sess_none\n",
	});
	const refused = await run(gateway, { path, args: [" "] });
	expect(refused.stderr).toContain("error: agent error: invalid params: content");
});

test("a Go program answers an approval that is always required, without hanging", async ({ skip }) => {
	const path = programOr(skip);
	await using gateway = await TestGateway.start();
	const promptLine = "select: Allow write .envrc?\n";
	const repeatedQuestion = "select: Answer again: this call always requires approval";
	const denied = await run(gateway, { path, args: [critical], lines: ["1"] });
	expect(denied.stderr).toContain(`${promptLine}chosen: Deny\n`);
	expect(denied.stdout).toContain("denied by the approver");
	const dismissed = await run(gateway, { path, args: [critical] });
	expect(dismissed).toMatchObject({ code: 0, stdout: expect.stringContaining("denied by the approver") });
	for (const args of [["-y"], ["-valueless"]]) {
		const unread = await run(gateway, { path, args: [...args, critical], lines: ["y", "y"] });
		expect(unread.stderr).toContain(promptLine);
		expect(unread.stderr).toContain(repeatedQuestion);
		expect(unread).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("denied without an answer: the client"),
		});
	}
	await expect(access(gateway.path("work", ".envrc"))).rejects.toThrow("ENOENT");
	const approved = await run(gateway, { path, args: [critical], lines: ["2"] });
	expect(approved.stderr).toContain("chosen: Approve\n");
	expect(await readFile(gateway.path("work", ".envrc"), "utf8")).toContain("export A=1");
});

test("a Go program reads long replies in messages of at most 32 KiB", async ({ skip }) => {
	const path = programOr(skip);
	await using gateway = await TestGateway.start();
	const long = await run(gateway, { path, args: [`say: ${"word ".repeat(20_000)}`] });
	expect(long).toMatchObject({ code: 0 });
	expect(long.stdout.length).toBeGreaterThan(90_000);
});
