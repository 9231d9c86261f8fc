import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { markedBlocks } from "../readme/blocks.ts";
import { NewMachine, node20, packDocumented } from "./packed.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const stage = mkdtempSync(join(tmpdir(), "parley-libraries-"));
const blocks = markedBlocks(readFileSync(join(root, "docs/connectors.md"), "utf8"));
let oldNode: string;
let machine: NewMachine;
let project: string;
let packed: readonly string[];

/** Compiler options that also check the types of all libraries. */
const compilerOptions = {
	target: "es2022",
	module: "nodenext",
	strict: true,
	skipLibCheck: false,
	exactOptionalPropertyTypes: true,
	rewriteRelativeImportExtensions: true,
	types: ["node"],
};

beforeAll(async () => {
	oldNode = await node20(stage);
	machine = await NewMachine.create(oldNode);
	project = join(machine.home, "project");
	mkdirSync(project);
	packed = await packDocumented("connectors: npm run pack -- dist base protocol connector", oldNode, project);
	writeFileSync(join(project, "package.json"), '{ "type": "module", "private": true }');
});

afterAll(async () => {
	await machine[Symbol.asyncDispose]();
	rmSync(stage, { recursive: true });
});

test("the command prints the paths of the packages", () => {
	const files = readdirSync(project).filter((name) => name.endsWith(".tgz"));
	expect(packed.toSorted()).toEqual(files.map((name) => join(project, name)).toSorted());
});

test("the client and the base install on Node 20, and need no library for Node 22", async () => {
	await install("client", { npm_config_engine_strict: "true" });
	const installed = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."));
	expect(installed.toSorted()).toEqual(
		["@parley", "@types", "jsonc-parser", "nanoid", "undici-types", "ws", "zod"].toSorted(),
	);
});

test("the program of the client's README passes the type check and runs on Node 20", async () => {
	const port = await choosePort();
	const gateway = new GatewayProcess({ port, data: join(stage, "data"), root: machine.home });
	expect(await gateway.ready).toBe(true);
	const [program = ""] = typescriptIn("packages/protocol/README.md");
	expect(program).toContain("http://127.0.0.1:7777");
	await compile({ "client.ts": program.replace("127.0.0.1:7777", `127.0.0.1:${port}`) });
	const { stdout } = await machine.run("node", join(project, "client.js"));
	expect(stdout).toContain("hello");
	expect((await machine.run("node", "--version")).stdout).toMatch(/^v20\./);
	gateway.kill("SIGTERM");
	expect(await gateway.exited).toEqual({ code: 0, signal: null });
});

test("the program of the connector kit passes the type check, and the kit loads", async () => {
	await install("connector");
	const [program = ""] = typescriptIn("docs/connectors.md");
	const side = `
		import type { PlatformSide, ReadyLink, RunOptions, SideOpening, StartedParts } from "@parley/connector";
		export type Ready = ReadyLink;
		export type Parts = StartedParts;
		export declare const openSide: (
			options: RunOptions,
			opening: SideOpening<Parts>,
		) => Promise<PlatformSide<Ready, Parts>>;
	`;
	const kit = 'import { runConnector } from "@parley/connector"; console.log(typeof runConnector);';
	await compile({ "side.ts": side, "matrix.ts": program, "kit.ts": kit });
	const { stdout } = await machine.run(process.execPath, join(project, "kit.js"));
	expect(stdout).toBe("function\n");
});

test("the packages contain compiled code and types, without sources, tests and names of the workspace", () => {
	for (const name of ["base", "protocol", "connector"]) {
		const folder = join(project, "node_modules/@parley", name);
		const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
		expect(files).toEqual(
			expect.arrayContaining(["LICENSE", "README.md", "dist/index.js", "dist/index.d.ts"]),
		);
		expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\.|\.map$|^src/.test(file))).toEqual([]);
		expect(readFileSync(join(folder, "package.json"), "utf8")).not.toMatch(
			/workspace:|catalog:|"scripts"|\.\/src/,
		);
	}
});

/** Runs the documented block `name`, and also installs the Node.js types. */
async function install(name: string, settings: Readonly<Record<string, string>> = {}): Promise<void> {
	const block = blocks.find((one) => one.name === name);
	if (!block) throw new Error(`docs/connectors.md has no block ${name}`);
	const variables = Object.entries(settings).map(([key, value]) => `export ${key}=${value}; `);
	await machine.run("sh", "-euc", `cd '${project}'; ${variables.join("")}${block.script} @types/node@24`);
}

async function compile(files: Readonly<Record<string, string>>): Promise<void> {
	for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
	const settings = { compilerOptions, files: Object.keys(files) };
	writeFileSync(join(project, "tsconfig.json"), JSON.stringify(settings));
	const compiler = join(root, "node_modules/.bin/tsc");
	// The compiler prints its errors to stdout, but the error of `run` contains only stderr.
	await machine.run("sh", "-c", `'${compiler}' -p '${project}' >&2`);
}

function typescriptIn(page: string): string[] {
	const text = readFileSync(join(root, page), "utf8");
	return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, program = ""]) => program);
}
