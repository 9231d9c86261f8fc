// Makes the bundle of the `parley` command, with all that it uses, in the folder that is named as the argument. Needs the
// workspace's Node: scripts/build.mjs starts it.

import { copyFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { basename, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { noticesOf } from "./notices.mjs";
import { root } from "./paths.mjs";

/**
 * What modules read beside themselves has to lie beside their chunk: all chunks lie in one folder.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const beside = {
	"packages/core/src/system-prompt/system-prompt.ts": [
		"packages/core/src/system-prompt/instructions.md",
		"packages/core/src/system-prompt/system.md",
	],
	// Starts the thread that is an entry below.
	"packages/core/src/tools/web/page-text.ts": [],
};

const entries = {
	main: "packages/cli/src/main.ts",
	program: "packages/cli/src/program.ts",
	"run-gateway": "packages/cli/src/gateway/run-gateway.ts",
	"rpc-program": "packages/cli/src/rpc/rpc-program.ts",
	"run-rpc": "packages/cli/src/rpc/run-rpc.ts",
	"readable-worker": "packages/core/src/tools/web/readable-worker.ts",
};

/**
 * The first finds its program, which is a package of its own for each platform, by where it lies itself; the second
 * discord.js uses where somebody has installed it.
 */
const external = ["@vscode/ripgrep", "zlib-sync"];

/** discord.js offers its users to evaluate a text in each of several processes. Nothing here calls that. */
const evaluates = /discord\.js[/\\]src[/\\]client[/\\]Client\.js$/;

/** @type {import("rolldown").Plugin} */
const placesKnown = {
	name: "places-known",
	transform: {
		filter: { id: /[/\\]packages[/\\][^/\\]+[/\\]src[/\\]/, code: "import.meta" },
		handler(_code, id) {
			const path = relative(root, id);
			if (!Object.hasOwn(beside, path)) {
				this.error(`${path} uses import.meta, which is another file in a bundle: see scripts/bundle.mjs`);
			}
		},
	},
};

/**
 * `import … from "node:http"` has Node read every property of that module, and one of them loads the whole of `fetch`:
 * a tenth of the start. Taken like this it reads those that are named. What would load more is not offered.
 */
const valuesOfHttp = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { get }]) =>
	get === undefined ? [name] : [],
);

/** @type {import("rolldown").Plugin} */
const httpAlone = {
	name: "http-alone",
	resolveId: {
		filter: { id: /^node:http$/ },
		handler: (_id, _importer, { kind }) =>
			kind === "import-statement" ? { id: "\0node:http", moduleSideEffects: false } : undefined,
	},
	load: {
		filter: { id: /^\0node:http$/ },
		handler: () => `export const { ${valuesOfHttp.join(", ")} } = process.getBuiltinModule("node:http");`,
	},
};

/** @param {string} folder */
async function write(folder) {
	const bundle = await rolldown({
		cwd: root,
		input: entries,
		external,
		platform: "node",
		// What packages offer as ECMAScript modules comes without what nobody uses.
		resolve: { mainFields: ["module", "main"] },
		plugins: [placesKnown, httpAlone],
		onLog(_level, { code, id, message }) {
			if (code !== "EVAL" || !evaluates.test(id ?? "")) throw new Error(message);
		},
	});
	const names = { entryFileNames: "[name].js", chunkFileNames: "[name].js" };
	const { output } = await bundle.write({ dir: folder, format: "esm", ...names });
	for (const file of Object.values(beside).flat())
		copyFileSync(join(root, file), join(folder, basename(file)));
	const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
	writeFileSync(join(folder, "third-party-notices.txt"), noticesOf(modules));
}

try {
	await write(process.argv[2] ?? "");
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
