import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Clone, type Ended } from "./clone.ts";

const help = "Self-hosted AI agent for you";
const source = "packages/cli/src/texts/program.ts";
const spare = "packages/core/src/spare.ts";
const added = "packages/core/src/added.ts";
const spareTest = "packages/core/src/spare.test.ts";

let clone: Clone;
let bundle: string;
let built: Ended[];
let program: string;

beforeAll(async () => {
	clone = new Clone();
	program = readFileSync(join(clone.root, source), "utf8");
	rest();
	built = await Promise.all([clone.build(), clone.build()]);
	const [name = ""] = clone.bundles();
	bundle = join(clone.dist, name);
	// Only the changed bundle contains this text, so the output shows whether the bundle or the sources ran.
	for (const { file, text } of chunks()) {
		if (text.includes(help)) writeFileSync(file, text.replaceAll(help, "the bundle speaks"));
	}
});

function chunks(): { readonly file: string; readonly text: string }[] {
	const files = readdirSync(bundle).filter((name) => name.endsWith(".js"));
	return files.map((name) => join(bundle, name)).map((file) => ({ file, text: readFileSync(file, "utf8") }));
}

function rest(): void {
	clone.write(source, program);
	clone.write(spare, "");
	clone.write(spareTest, "");
	clone.remove(added);
}

beforeEach(rest);
afterAll(() => clone[Symbol.asyncDispose]());

test("two builds at the same time make one bundle", () => {
	expect(built.map(({ code }) => code)).toEqual([0, 0]);
	expect(built[0]?.stderr).toMatch(/^parley: making the bundle.*\nparley: made in [\d.]+ s\n$/);
	expect(clone.bundles()).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)]);
});

test("the bundle of the present sources is run", async () => {
	expect(await clone.parley("--help")).toMatchObject({
		code: 0,
		stderr: "",
		stdout: outputOf("the bundle speaks"),
	});
});

/** Returns the files that the given files load. Includes indirect imports and the given files. */
function loadedBy(...names: readonly string[]): Set<string> {
	const texts = new Map(chunks().map(({ file, text }) => [basename(file), text]));
	const loaded = new Set(names);
	// The iteration also visits the names that are added to the set meanwhile.
	for (const name of loaded) {
		const imports = texts.get(name)?.matchAll(/^import [^"']*["']\.\/([^"']+)["'];$/gm) ?? [];
		for (const [, imported = ""] of imports) loaded.add(imported);
	}
	return loaded;
}

test("a client's start reads few files, and small commands load only their own code", () => {
	const names = readdirSync(bundle);
	expect([...loadedBy("main.js", "program.js", "run-rpc.js")].toSorted()).toEqual(
		["main", "program", "run-rpc", "base", "schemas", "agent", "rolldown-runtime"]
			.map((name) => `${name}.js`)
			.toSorted(),
	);
	for (const name of ["ask.js", "data.js", "gateway-health.js", "audit-rows.js"]) {
		expect(names).toContain(name);
		expect(loadedBy(name)).not.toContain("agent.js");
	}
	for (const name of ["main.js", "program.js", "audit-rows.js"]) {
		expect(loadedBy(name)).not.toContain("schemas.js");
	}
});

test("V8 stores the files of the gateway with one byte per character", () => {
	const wide = chunks().filter(({ text }) => /[^\0-\xff]/.test(text));
	// The bundler does not escape the characters of a tagged template. This template is in a file of the connectors.
	expect(wide.map(({ file }) => basename(file))).toEqual(["parse-text.js"]);
});

test.for<[what: string, change: () => void]>([
	["an edited one", () => clone.write(source, program.replace(help, `${help}!`))],
	["an added one", () => clone.write(added, "")],
	["a removed one", () => clone.remove(spare)],
])("with %s the sources are run", async ([, change]) => {
	change();
	expect(await clone.parley("--help")).toMatchObject({ code: 0, stderr: "", stdout: outputOf(help) });
});

test("an edited test does not change the bundle", async () => {
	clone.write(spareTest, "// edited");
	expect((await clone.parley("--help")).stdout).toContain("the bundle speaks");
});

test("the bundle runs without sources, and without both the error names the next step", async () => {
	await using installed = new Clone();
	for (const folder of readdirSync(join(installed.root, "packages")))
		installed.remove(`packages/${folder}/src`);
	const without = await installed.parley("--help");
	expect(without).toEqual({
		code: 1,
		stdout: "",
		stderr: "parley: there is no bundle: install parley-agent again\n",
	});
	cpSync(clone.dist, installed.dist, { recursive: true });
	expect((await installed.parley("--help")).stdout).toContain("the bundle speaks");
});

test("a bundle that cannot be loaded is named, and the sources are run", async () => {
	const file = join(bundle, "base.js");
	const text = readFileSync(file);
	for (const broken of ["export {", ""]) {
		writeFileSync(file, broken);
		const { code, stdout, stderr } = await clone.parley("--help");
		expect({ code, stdout }).toEqual({ code: 0, stdout: outputOf(help) });
		expect(stderr).toMatch(
			/^parley: the bundle cannot be loaded, so the sources run \(`npm run build` .*\): .+\n$/,
		);
	}
	writeFileSync(file, text);
});

test("a gateway of the bundle has its prompts, and finds the program that searches", async () => {
	await clone.startGateway(join(clone.root, "scripts"));
	expect(await clone.parley("ask", "search: readable-worker")).toMatchObject({
		code: 0,
		stdout: outputOf("bundle.mjs"),
	});
});

test("the start of rpc reads only the used properties of Node's modules", () => {
	const texts = new Map(chunks().map(({ file, text }) => [basename(file), text]));
	const loaded = [...loadedBy("main.js", "program.js", "run-rpc.js")];
	const text = loaded.map((name) => texts.get(name) ?? "").join("\n");
	expect(text).toContain("var Runtime = class");
	const heavy = /^import .* from "(?:node:)?(?:crypto|fs|fs\/promises|http|process|util)";$/m;
	expect(heavy.exec(text)).toBeNull();
});

test("the bundle has only the part of the provider's SDK that sends requests", () => {
	const all = chunks()
		.map(({ text }) => text)
		.join("\n");
	expect(all).toContain("BaseAnthropic");
	expect(all).not.toContain("BetaToolRunner");
});

test("the thread that reads pages is in the bundle", async () => {
	const worker = new Worker(join(bundle, "readable-worker.js"), {
		workerData: { html: "<nav>Menu</nav><article><h2>Head</h2><p>Text</p></article>", url: "http://a.test/" },
	});
	expect(await new Promise((resolve) => worker.once("message", resolve))).toBe("Menu\n\n## Head\n\nText");
	const workerChunks = chunks().filter(({ text }) => text.includes("new URL(`./readable-worker"));
	expect(workerChunks).toHaveLength(1);
});

test("a source that reads a file next to itself is refused, and no files remain", async () => {
	clone.write(spare, "export const here = import.meta.url;");
	clone.write(source, `import "../../../core/src/spare.ts";\n${program}`);
	const { code, stderr } = await clone.build();
	expect(code).toBe(1);
	expect(stderr).toContain("packages/core/src/spare.ts uses import.meta");
	expect(stderr).toMatch(/parley: the bundle could not be made; the sources are run as they are\n$/);
	expect(clone.bundles()).toHaveLength(1);
});

test("the bundle includes the licences of its content", () => {
	const notices = readFileSync(join(bundle, "third-party-notices.txt"), "utf8");
	expect(notices).toMatch(/^ws \d+\.\d+\.\d+ \(MIT\)\n\nCopyright/m);
});

test("the last three bundles and drafts are kept", async () => {
	const old = ["1", "2", "3", "4", "5"].map((digit) => digit.repeat(16));
	for (const [age, name] of old.entries()) {
		mkdirSync(join(clone.dist, name));
		utimesSync(join(clone.dist, name), age, age);
	}
	clone.write(source, `${program}\n`);
	expect(await clone.build()).toMatchObject({ code: 0 });
	expect(clone.bundles()).toHaveLength(4);
	expect(clone.bundles()).toEqual(expect.arrayContaining(old.slice(-2)));
});

function outputOf(text: string): unknown {
	return expect.stringContaining(text);
}
