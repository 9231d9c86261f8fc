import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decide } from "../../policy/policy.ts";
import { createDirectory, createToolContext } from "../../testing/tool-context.ts";
import type { Sandbox } from "../../vocabulary/sandbox.ts";
import type { ToolContext, ToolPlan } from "../../vocabulary/tool.ts";
import { judgeGit } from "./judge-git.ts";
import type { Repository } from "./repository.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let context: ToolContext;
let repository: Repository;

function saying(output: string, code = 0): Sandbox {
	return {
		mode: "off",
		profile: "test",
		environment: {},
		network: undefined,
		run: async () => ({ code, signal: null, output, timedOut: false }),
	};
}

beforeAll(async () => {
	directory = await createDirectory();
	const top = join(directory.path, "work");
	await mkdir(top);
	await writeFile(join(top, "beans.txt"), "");
	context = createToolContext(top, { sandbox: saying("fatal: no object", 128) });
	repository = {
		top,
		directories: [join(top, ".git")],
		programs: [],
		steering: [],
		reaching: [],
		filters: [],
	};
});
afterAll(() => directory[Symbol.asyncDispose]());

function judge(args: readonly string[], more: Partial<Repository> = {}, where = context) {
	return judgeGit(args, { directory: context.cwd, repository: { ...repository, ...more } }, where);
}

async function judged(...parts: Parameters<typeof judge>): Promise<string> {
	const { classes } = await judge(...parts);
	const plan: ToolPlan = { label: "", classes, preview: "", binding: {}, notes: [] };
	const { effect, floor } = decide(
		{ tool: { name: "git" }, plan },
		{ acceptAll: false, grants: [], taint: "" },
	);
	return `${effect}${floor ? " always" : ""}: ${classes.join(" ")}`;
}

const asks = "ask: exec-unsandboxed";
const always = "ask always: ";

test.each<[args: string | string[], expected: string]>([
	["status --short", "allow: read"],
	["diff HEAD~1..HEAD -- beans.txt", "allow: read"],
	["log --oneline ..origin/main", "allow: read"],
	["show HEAD:beans.txt", "allow: read"],
	["stash list", "allow: read"],
	["add .", "ask: write"],
	["add -A", "ask: write"],
	["mv beans.txt peas.txt", "ask: write"],
	[["commit", "-m", "fix ../../etc/passwd and config/.env"], "ask: write"],
	["commit --amend --no-edit", "ask: write"],
	["switch -c next", "ask: write"],
	["checkout -b next", "ask: write"],
	["checkout main", "ask: write"],
	["restore --staged beans.txt", "ask: write"],
	["merge --no-ff next", "ask: write"],
	["rebase main", "ask: write"],
	["cherry-pick HEAD", "ask: write"],
	["revert --no-edit HEAD", "ask: write"],
	["reset HEAD beans.txt", "ask: write"],
	["reset --soft HEAD~1", "ask: write"],
	["stash", "ask: write"],
	["stash push -m x", "ask: write"],
	["stash pop", "ask: write"],
	["tag v1", "ask: write"],
	["branch next", "ask: write"],
	["branch -d next", "ask: write"],
	["branch --sort=refname next", asks],
	["clean -n", "ask: write"],
	["rm beans.txt", "ask: write"],
	// Loss of content that a repository does not store.
	["reset --hard", `${always}write irreversible`],
	["reset --har", `${always}exec-unsandboxed irreversible`],
	["clean -fdx", `${always}write irreversible`],
	["clean --force -d", `${always}write irreversible`],
	["restore beans.txt", `${always}write irreversible`],
	["restore -SW beans.txt", `${always}exec-unsandboxed irreversible`],
	["checkout -- beans.txt", `${always}write irreversible`],
	["checkout beans.txt", `${always}write irreversible`],
	["checkout HEAD beans.txt", `${always}write irreversible`],
	["checkout .", `${always}write irreversible`],
	["checkout -f main", `${always}write irreversible`],
	["checkout -B main", `${always}write irreversible`],
	["switch --discard-changes main", `${always}write irreversible`],
	["branch -D next", `${always}write irreversible`],
	["branch -f next HEAD", `${always}write irreversible`],
	["branch --delete --force next", `${always}write irreversible`],
	["stash drop", `${always}write irreversible`],
	["stash clear", `${always}write irreversible`],
	["rm -rf beans.txt", `${always}write irreversible`],
	["filter-branch --all", `${always}exec-unsandboxed irreversible`],
	["reflog expire --expire=now --all", `${always}exec-unsandboxed irreversible`],
	["gc --prune=now", `${always}exec-unsandboxed irreversible`],
	["update-ref -d refs/heads/main", `${always}exec-unsandboxed irreversible`],
	// Access to other machines. An unconfined command may read private data, reaches the network, and reads untrusted text.
	["fetch", `${always}exec-unsandboxed egress`],
	["pull --ff-only", `${always}exec-unsandboxed egress`],
	["push origin main", `${always}exec-unsandboxed egress`],
	["ls-remote", `${always}exec-unsandboxed egress`],
	["clone https://example.org/x.git", `${always}exec-unsandboxed egress`],
	["remote update", `${always}exec-unsandboxed egress`],
	["remote show origin", `${always}exec-unsandboxed egress`],
	["push --force", `${always}exec-unsandboxed egress irreversible`],
	["push -f origin main", `${always}exec-unsandboxed egress irreversible`],
	["push origin +main", `${always}exec-unsandboxed egress irreversible`],
	["push origin :main", `${always}exec-unsandboxed egress irreversible`],
	["push --mirror", `${always}exec-unsandboxed egress irreversible`],
	["submodule update --init", `${always}exec-unsandboxed egress control`],
	// Settings and files that control later commands.
	["config core.hooksPath x", `${always}exec-unsandboxed control`],
	["config --get user.name", asks],
	["remote add origin https://example.org/x.git", `${always}exec-unsandboxed control`],
	["checkout HEAD .github/workflows/ci.yml", `${always}write irreversible control`],
	["mv x .envrc", `${always}write control secret`],
	// Commands and options that are not known to be harmless.
	["diff --output=x", asks],
	["diff --outp=x", asks],
	["log --output=x", asks],
	["diff --ext-diff", asks],
	["diff --textconv", asks],
	["show --textconv", asks],
	["diff --no-index a b", asks],
	["diff -Oorder", asks],
	["diff --check", asks],
	["log --show-signature", asks],
	["log --graph -p", asks],
	["log --src-prefix=x", asks],
	["blame --contents x beans.txt", asks],
	["grep -O beans", asks],
	["grep --open-files-in-pager=less beans", asks],
	["cat-file --textconv HEAD:beans.txt", asks],
	["cat-file --batch", asks],
	["tag -v v1", asks],
	["ls-files --recurse-submodules", asks],
	["describe --dirty", asks],
	["status -v", asks],
	["branch --edit-description", asks],
	["commit -F message.txt", asks],
	["commit", "ask: write"],
	["commit -S -m x", asks],
	["add -p", asks],
	["merge -s x next", asks],
	["rebase -i main", asks],
	["am x.patch", asks],
	["apply x.patch", asks],
	["help log", asks],
	["lg", asks],
	["for-each-ref --format=%(raw)", asks],
	["init", asks],
	// Commands in arguments are also judged.
	["rebase --exec make main", asks],
	[["rebase", "--exec", "npm publish", "main"], `${always}exec-unsandboxed irreversible`],
	["bisect run npm publish", `${always}exec-unsandboxed irreversible`],
	[["submodule", "foreach", "crontab x"], `${always}exec-unsandboxed control`],
	// Secret files, and paths outside the repository.
	["add .env", `${always}write secret`],
	["diff -- .env", "ask always: read secret"],
	["show HEAD:.env", "ask always: read secret"],
	["show :.env", "ask always: read secret"],
	["show HEAD:./x/../.env", "ask always: read secret"],
	["cat-file -p HEAD:.env", "ask always: read secret"],
	["checkout -m .env", `${always}write secret`],
	["blame .env", "ask always: read secret"],
	["log -p -- .env", "ask always: read secret"],
	["log -L1,1:.env", "ask always: read secret"],
	["worktree add ../elsewhere", `${always}exec-unsandboxed outside-write`],
	["clone https://example.org/x.git /elsewhere", `${always}exec-unsandboxed egress outside-write`],
	["fetch ../other", `${always}exec-unsandboxed egress outside-write`],
	["fetch file:///elsewhere", `${always}exec-unsandboxed egress outside-write`],
	["archive --output=/elsewhere/x.tar HEAD", `${always}exec-unsandboxed outside-write`],
	["archive -o/elsewhere/x.tar HEAD", `${always}exec-unsandboxed outside-write`],
])("git %j is judged as %j", async (args, expected) => {
	expect(await judged(typeof args === "string" ? args.split(" ") : args)).toBe(expected);
});

test("if a repository names programs, its changes require approval as commands", async () => {
	const programs = ["hook pre-commit", "filter.x.clean"];
	expect(await judge(["add", "x"], { programs })).toEqual({
		care: "run",
		words: ["add", "x"],
		classes: ["exec-unsandboxed", "write"],
		notes: ["runs programs that the repository names: hook pre-commit, filter.x.clean"],
		patches: false,
	});
	expect(await judge(["add", "x"])).toMatchObject({ care: "change", notes: [] });
	expect(await judge(["log"], { programs })).toMatchObject({ care: "read", classes: ["read"] });
	expect(await judge(["push"])).toMatchObject({ care: "run" });
	const sandboxed: ToolContext = { ...context, sandbox: { ...context.sandbox, mode: "bubblewrap" } };
	expect(await judged(["add", "x"], { programs }, sandboxed)).toBe("ask: exec-sandboxed write");
});

test.each([
	["commit", "allow: read"],
	["tree", "allow: read"],
	["blob", "ask always: read secret"],
	["tag", "ask always: read secret"],
	["", "ask always: read secret"],
])("an object with the hash of a %s is judged as %j", async (type, expected) => {
	const where = { ...context, sandbox: saying(`${type}\n`) };
	for (const words of [
		["show", "0123abc"],
		["cat-file", "-p", "0123abc"],
	]) {
		expect(await judged(words, {}, where)).toBe(expected);
	}
	const compared = type === "commit" ? "allow: read" : "ask always: read secret";
	for (const range of ["0123abc", "0123abc..HEAD", "x...0123abc", "^0123abc"]) {
		expect(await judged(["diff", range], {}, where), range).toBe(compared);
	}
	expect(await judged(["log", "0123abc"], {}, where)).toBe("allow: read");
});

test("a file of an object that is not a commit requires approval", async () => {
	const where = (type: string) => ({ ...context, sandbox: saying(`${type}\n`) });
	expect(await judged(["show", "0123abc:x"], {}, where("commit"))).toBe("allow: read");
	expect(await judged(["show", "0123abc:x"], {}, where("tree"))).toBe("ask always: read secret");
});

test("the reasons are explained", async () => {
	const notes = async (...args: string[]) => (await judge(args)).notes;
	expect(await notes("reset", "--hard")).toEqual(["discards changes that are not committed"]);
	expect(await notes("push", "--force")).toEqual(["git rewrites or deletes pushed commits"]);
	expect(await notes("config", "a.b", "c")).toEqual(["changes the effects of later git commands"]);
	expect(await notes("fetch", "../x")).toEqual(["names ../x, outside the roots"]);
	expect(await notes("diff", ".env")).toEqual([
		`names ${context.cwd}/.env, which may contain keys or passwords`,
	]);
});

test.each(["/etc/passwd", "../x", "a/../../x", ".."])("%j is not a path of the repository", async (path) => {
	await expect(judge(["diff", path, "beans.txt"])).rejects.toThrow(
		`${JSON.stringify(path)} is outside the repository`,
	);
});

test("files of the gateway in the working tree require approval, with any spelling", async () => {
	const where = { ...context, forbidden: [join(context.cwd, "Data")] };
	expect(await judged(["status"], {}, where)).toBe("ask always: read control");
	expect(await judged(["add", "-A"], {}, where)).toBe("ask always: write control");
	expect(await judged(["push"], {}, where)).toBe("ask always: exec-unsandboxed egress control");
});

test("without a repository no command is read-only", async () => {
	const judgement = await judgeGit(["init"], { directory: context.cwd, repository: undefined }, context);
	expect(judgement).toMatchObject({ care: "run", classes: ["exec-unsandboxed"] });
	expect(await judgeGit(["log"], { directory: context.cwd, repository: undefined }, context)).toMatchObject({
		classes: ["exec-unsandboxed"],
	});
});
