// Groups of modules of the bundle. A start loads all modules of a group, so they share a file. Node takes half a
// millisecond to find, read and link a file of any size.

/** @import { CodeSplittingGroup, InputOptions, OutputChunk, Plugin } from "rolldown" */

import { relative } from "node:path";
import { rolldown } from "rolldown";
import { root } from "./paths.mjs";

/** Modules that small commands also load. */
const common = [
	/^\0node:/,
	/^packages\/base\/src\/(?!log|redact|stderr|store\/)/,
	/^packages\/cli\/src\/(?!gateway\/run-rpc\.ts)/,
	/^packages\/gateway\/src\/data-directory\/(?:errno|data-directory|private-file|secret-key)\.ts$/,
];

/**
 * Files of the start, most common file first. `of`: names of the bundle's entries that load the file when they start.
 * Every command loads `main` and `program`. `parley rpc` also loads `run-rpc` with the core.
 * @type {readonly { readonly name: string, readonly of: readonly string[], readonly includes: (path: string) => boolean }[]}
 */
const files = [
	{
		name: "base",
		of: ["main", "program", "run-rpc"],
		includes: (path) => common.some((one) => one.test(path)),
	},
	{ name: "schemas", of: ["run-rpc"], includes: (path) => path.includes("/node_modules/zod/") },
	{ name: "agent", of: ["run-rpc"], includes: () => true },
];

/**
 * Plugin that omits modules that are imported dynamically.
 * @type {Plugin}
 */
const withoutLater = {
	name: "without-later",
	resolveId: {
		order: "pre",
		handler: (id, _importer, { kind }) => (kind === "dynamic-import" ? { id, external: true } : undefined),
	},
};

/**
 * Returns the groups with which rolldown writes `files`, for a bundle with these options.
 * @param {InputOptions & { plugins: Plugin[], input: Record<string, string> }} options
 * @returns {Promise<CodeSplittingGroup[]>}
 */
export async function startChunks({ input, plugins, ...options }) {
	const names = new Set(files.flatMap(({ of }) => of));
	const entries = Object.fromEntries(Object.entries(input).filter(([name]) => names.has(name)));
	if (Object.keys(entries).length < names.size)
		throw new Error(`not all of these are entries: ${[...names]}`);
	const bundle = await rolldown({ ...options, input: entries, plugins: [withoutLater, ...plugins] });
	const { output } = await bundle.generate({ format: "esm", entryFileNames: "[name]" });
	const chunks = new Map(output.flatMap((part) => (part.type === "chunk" ? [[part.fileName, part]] : [])));
	return files.map(({ name, of, includes }, index) => {
		const modules = new Set([...reached(of, chunks)].flatMap((chunk) => chunk.moduleIds));
		for (const { facadeModuleId } of chunks.values()) modules.delete(facadeModuleId ?? "");
		return {
			name,
			priority: files.length - index,
			/** @param {string} id */
			test: (id) => modules.has(id) && includes(id.startsWith("/") ? relative(root, id) : id),
		};
	});
}

/**
 * Returns these chunks and all chunks that they import.
 * @param {readonly string[]} names
 * @param {ReadonlyMap<string, OutputChunk>} chunks
 */
function reached(names, chunks) {
	/** @type {Set<OutputChunk>} */
	const all = new Set();
	const left = [...names];
	for (let name = left.pop(); name !== undefined; name = left.pop()) {
		const chunk = chunks.get(name);
		if (!chunk || all.has(chunk)) continue;
		all.add(chunk);
		left.push(...chunk.imports);
	}
	return all;
}
