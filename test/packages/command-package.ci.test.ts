import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pacedNow } from "@parley/base/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageName } from "../../packages/cli/bin/package-name.mjs";
import { externalIfInstalled, nodePackages } from "../../scripts/externals.mjs";
import { FreshMachine } from "../first-ten/fresh-machine.ts";
import { limits, playFirstTen, report } from "../first-ten/play.ts";
import { markedBlocks } from "../readme/blocks.ts";
import { NewMachine, node20, packDocumented } from "./packed.ts";

const stage = mkdtempSync(join(tmpdir(), "parley-packed-"));
const content = join(stage, "package");
const blocks = markedBlocks(readFileSync(new URL("../../docs/install.md", import.meta.url), "utf8"));
const removal = { recursive: true, force: true };
let oldNode: string;
let tarball: string;

beforeAll(async () => {
	oldNode = await node20(stage);
	[tarball = ""] = await packDocumented(
		"install: npm run pack -- dist command",
		oldNode,
		join(stage, "files"),
	);
	execFileSync("tar", ["-xzf", tarball, "-C", stage]);
});
afterAll(() => rmSync(stage, { recursive: true }));

function manifest(): Record<string, unknown> & { readonly dependencies: Readonly<Record<string, string>> } {
	return JSON.parse(readFileSync(join(content, "package.json"), "utf8"));
}

test("the page marks the commands that this test runs", () => {
	expect(blocks.map(({ name }) => name)).toEqual(["install", "npx"]);
});

test("the tarball has the name and the version of the package", () => {
	const { name, version } = manifest();
	expect(basename(tarball)).toBe(`${name}-${version}.tgz`);
	expect(name).toBe(packageName);
});

test("the package contains the program, its notices and pages, and no sources, tests or records of the workspace", () => {
	const files = readdirSync(content, { recursive: true, encoding: "utf8" });
	expect(files).toEqual(
		expect.arrayContaining(["LICENSE", "README.md", "THIRD-PARTY-NOTICES.txt", "man/parley.1"]),
	);
	expect(
		files.filter((file) => /\.ts$|\.test\.|(^|\/)src(\/|$)|sources\.txt|compiled|\.map$/.test(file)),
	).toEqual([]);
	expect(readFileSync(join(content, "THIRD-PARTY-NOTICES.txt"), "utf8")).toMatch(
		/^ws \d+\.\d+\.\d+ \(MIT\)$/m,
	);
	expect(JSON.stringify(manifest())).not.toMatch(/workspace:|catalog:|file:|@parley\//);
});

test("each library in the notices has the text of its licence with a holder of the copyright", () => {
	const notices = readFileSync(join(content, "THIRD-PARTY-NOTICES.txt"), "utf8");
	const parts = notices.split(/^(?=(?:@[\w.-]+\/)?[\w.-]+ \d+\.\d+\.\d+\S* \(.*\)$)/m);
	expect(parts.length).toBeGreaterThan(200);
	expect(parts.filter((part) => part.length < 500).map((part) => part.split("\n")[0])).toEqual([]);
	for (const name of ["refractor", "@clack/prompts", "jsonc-parser", "@bomb.sh/tab"]) {
		const part = parts.find((one) => one.startsWith(`${name} `));
		expect(part, name).toMatch(/Copyright \(c\) \w/);
	}
});

test("each module that the package imports is in it, in Node.js or in its dependencies", () => {
	const [bundle = ""] = readdirSync(join(content, "dist"));
	const names = readdirSync(join(content, "dist", bundle)).filter((name) => name.endsWith(".js"));
	const imported = names.flatMap((name) => {
		const text = readFileSync(join(content, "dist", bundle, name), "utf8");
		const places = [...text.matchAll(/^(?:import|export) .*?"([^"]+)";$|import\("([^"]+)"\)/gm)];
		return places.map(([, one, other]) => one ?? other ?? "");
	});
	const outside = new Set(imported.filter((name) => !name.startsWith(".") && !name.startsWith("node:")));
	const known = [...builtinModules, ...Object.keys(manifest().dependencies), ...externalIfInstalled];
	expect([...outside].filter((name) => !known.includes(name))).toEqual([]);
	expect([...outside]).toEqual(expect.arrayContaining(["@grpc/grpc-js", "@vscode/ripgrep"]));
});

test("Node 20: a command that was installed as documented runs on the Node 24 of the package", async () => {
	await using machine = await NewMachine.create(oldNode);
	copyFileSync(tarball, join(machine.home, basename(tarball)));
	const { stdout: printed } = await machine.run("sh", "-euc", documented("install"));
	expect(printed.trim().split("\n").at(-1)).toBe(version());
	expect((await machine.run("node", "--version")).stdout).toMatch(/^v20\./);
	await playFirstMessage(machine, "", await machine.start("parley", "gateway"));
	const { stdout } = await machine.run("parley", "version", "--json");
	const prefix = join(machine.home, ".local");
	const home = join(prefix, "lib/node_modules", packageName);
	expect(JSON.parse(stdout)).toMatchObject({
		node: expect.stringMatching(/^24\./),
		installation: { kind: "global", name: packageName, version: version(), home, prefix },
	});
	expect(readdirSync(join(prefix, "share/man/man1"))).toEqual(["parley.1"]);
	expect((await machine.run("zot", "rpc", "--version")).stdout).toBe(`${version()}\n`);
	for (const name of Object.keys(nodePackages)) rmSync(join(home, "node_modules", name), removal);
	await expect(machine.run("parley", "--version")).rejects.toMatchObject({
		code: 1,
		stderr: expect.stringMatching(
			/^parley needs Node 24\.11 or newer, and this is v20\..* install Node 24\.\n$/,
		),
	});
});

test("Node 24: npx runs the package as documented, without an installation", async () => {
	await using machine = await NewMachine.create(process.execPath);
	copyFileSync(tarball, join(machine.home, basename(tarball)));
	const command = documented("npx");
	const words = command.split(" ");
	expect(words.splice(-2)).toEqual(["parley", "start"]);
	await playFirstMessage(machine, words.join(" "), await machine.start("sh", "-c", `exec ${command}`));
	expect(machine.errors).toContain(`npx --package ./${basename(tarball)} parley chat`);
	const { stdout } = await machine.run("sh", "-c", `${words.join(" ")} parley version --json`);
	expect(JSON.parse(stdout)).toMatchObject({
		node: process.versions.node,
		installation: { kind: "npx", name: packageName },
	});
});

// This test is in this file because it uses the same tarball as the other tests here.
test("a new user gets an answer about a project within 90 s and 3 commands, with Node 20 and npm only", async () => {
	await using machine = await FreshMachine.create(oldNode, tarball);
	const play = await playFirstTen(machine, tarball);
	const { rows } = report(play);
	expect(play.steps.filter(({ kind }) => kind === "command").length).toBe(limits.commands);
	expect(play.seconds, rows.join("\n")).toBeLessThanOrEqual(pacedNow(limits.seconds * 1000) / 1000);
});

function version(): string {
	return String(manifest()["version"]);
}

function documented(name: string): string {
	const block = blocks.find((one) => one.name === name);
	if (!block?.script.includes(basename(tarball)))
		throw new Error(`docs/install.md has no block ${name} for ${basename(tarball)}`);
	return block.script;
}

async function playFirstMessage(machine: NewMachine, before: string, line: string): Promise<void> {
	expect(line).toMatch(/^parley listening on http:/);
	const parley = (args: string) => machine.run("sh", "-c", `${before} parley ${args}`);
	expect((await parley('ask "run: echo hi" -y')).stdout).toMatch(/^hi$/m);
	expect((await parley("stop")).stderr).toContain("has stopped");
	expect(await machine.ended()).toEqual([0, null]);
}
