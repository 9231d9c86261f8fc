// Bundles the `parley` command with all its dependencies into the folder that the argument names. This script
// needs the workspace's Node, so scripts/build.mjs starts it.

import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { external, externalIfInstalled } from "./externals.mjs";
import { noticesOf } from "./notices.mjs";
import { root } from "./paths.mjs";
import { startChunks } from "./start-chunks.mjs";

/**
 * Files that modules read from their own folder. The build copies them to the folder of the chunks.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const beside = {
	"packages/core/src/instructions/prompt-files.ts": [
		"packages/core/src/instructions/agent.md",
		"packages/core/src/instructions/system.md",
	],
	// This module searches its parent directories for the manifest, both in the sources and in a bundle.
	"packages/cli/src/installation/installation.ts": [],
	// This module starts a thread from the entry `readable-worker`.
	"packages/core/src/tools/web/page-text.ts": [],
};

const entries = {
	main: "packages/cli/src/main.ts",
	program: "packages/cli/src/program.ts",
	"run-gateway": "packages/cli/src/gateway/run-gateway.ts",
	"run-rpc": "packages/cli/src/gateway/run-rpc.ts",
	"readable-worker": "packages/core/src/tools/web/readable-worker.ts",
};

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
 * Pattern of Node's modules. From these modules, the bundle reads only the properties that the bundle uses. `import …
 * from "node:fs"` makes Node read every property of the module. Some properties load more modules: `fetch` in `http`,
 * streams in `fs`, threads in `util`. Loading these modules adds 60 to 90 ms to the start of a gateway.
 */
const heavy = /^(?:node:)?(child_process|crypto|dns|fs|fs\/promises|http|net|os|process|timers|util)$/;

/**
 * Package that reads all properties of a `heavy` module in any case. The plugin does not change imports in this
 * package.
 */
const readsAll = /[/\\]@anthropic-ai[/\\]sdk[/\\]/;

/** @type {import("rolldown").Plugin} */
const usedAlone = {
	name: "used-alone",
	resolveId: {
		filter: { id: heavy },
		handler(id, importer = "", { kind }) {
			if (kind !== "import-statement" || readsAll.test(importer)) return undefined;
			return { id: id.replace(heavy, "\0node:$1"), moduleSideEffects: false };
		},
	},
	load: {
		filter: { id: /^\0node:/ },
		handler(id) {
			const name = id.slice(1);
			const lines = Object.keys(process.getBuiltinModule(name) ?? {}).map(
				(key) => `export const ${key} = /* @__PURE__ */ valueOf$("${key}");`,
			);
			return [
				`const all$ = process.getBuiltinModule("${name}");`,
				"const valueOf$ = (key) => all$[key];",
				...lines,
				"export default all$;",
			].join("\n");
		},
	},
};

/** For each package, the names that its index exports, and the path of each name's module. */
const namedByIndex = new Map(
	readdirSync(join(root, "packages")).flatMap((name) => {
		const index = join(root, "packages", name, "src/index.ts");
		return existsSync(index) ? [[`@parley/${name}`, readIndex(index)]] : [];
	}),
);

/** @param {string} index */
function readIndex(index) {
	const lines = readFileSync(index, "utf8").matchAll(/^export \{([^}]*)\} from "(\.[^"]+)";$/gm);
	return new Map(
		[...lines].flatMap(([, names = "", path = ""]) =>
			valuesIn(names).map((name) => [name, join(dirname(index), path)]),
		),
	);
}

/**
 * Returns the names of values in a list of exports. Omits names of types.
 * @param {string} names
 */
function valuesIn(names) {
	const all = names.split(",").map((name) => name.trim());
	return all.filter((name) => name !== "" && !name.startsWith("type "));
}

/**
 * Makes modules import a value from its own module instead of the index of its package. An index loads the complete
 * package, which adds 60 ms to `parley ask`.
 * @type {import("rolldown").Plugin}
 */
const pastIndexes = {
	name: "past-indexes",
	transform: {
		filter: { id: /[/\\]packages[/\\][^/\\]+[/\\]src[/\\]/, code: 'from "@parley/' },
		handler: (code) =>
			code.replace(/^import \{([^}]*)\} from "(@parley\/[a-z]+)";$/gm, (line, names, from) => {
				const places = namedByIndex.get(from);
				const straight = valuesIn(names).map((name) => {
					const place = places?.get(name.split(" as ")[0] ?? "");
					return place && `import { ${name} } from ${JSON.stringify(place)};`;
				});
				return straight.includes(undefined) ? line : straight.join(" ");
			}),
	},
};

/** @satisfies {import("rolldown").InputOptions} */
const options = {
	cwd: root,
	input: entries,
	external: [...external, ...externalIfInstalled],
	platform: /** @type {const} */ ("node"),
	// The bundler can omit unused parts only of ECMAScript modules, so these are preferred.
	resolve: { mainFields: ["module", "main"] },
	plugins: [placesKnown, pastIndexes, usedAlone],
	/**
	 * @param {string} _level
	 * @param {import("rolldown").RolldownLog} log
	 */
	onLog(_level, { message }) {
		throw new Error(message);
	},
};

/** @param {string} folder */
async function write(folder) {
	const bundle = await rolldown(options);
	const groups = await startChunks(options);
	const names = { entryFileNames: "[name].js", chunkFileNames: "[name].js" };
	const { output } = await bundle.write({
		dir: folder,
		format: "esm",
		comments: { annotation: false, jsdoc: false },
		// V8 stores the source of a module with two bytes per character if one character is not Latin-1.
		charset: "ascii",
		codeSplitting: { groups },
		...names,
	});
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
