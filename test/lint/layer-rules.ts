/** Files of a package with their imports. All paths are relative to `src`. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** Returns the cycles of a graph as sorted groups of nodes that reach each other. */
export function cyclesIn(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
	const search = new CycleSearch(graph);
	for (const node of graph.keys()) search.visit(node);
	return search.found;
}

/** Tarjan's algorithm for strongly connected components: https://doi.org/10.1137/0201010 */
class CycleSearch {
	readonly found: string[][] = [];
	readonly #graph: ReadonlyMap<string, Iterable<string>>;
	readonly #order = new Map<string, number>();
	readonly #open: string[] = [];

	constructor(graph: ReadonlyMap<string, Iterable<string>>) {
		this.#graph = graph;
	}

	/**
	 * Returns the lowest number of the open nodes that `node` reaches, or infinity if the group of `node` is complete.
	 */
	visit(node: string): number {
		const known = this.#order.get(node);
		if (known !== undefined) return this.#open.includes(node) ? known : Number.POSITIVE_INFINITY;
		const own = this.#order.size;
		this.#order.set(node, own);
		this.#open.push(node);
		let lowest = own;
		for (const next of this.#graph.get(node) ?? []) lowest = Math.min(lowest, this.visit(next));
		if (lowest < own) return lowest;
		const group = this.#open.splice(this.#open.indexOf(node));
		if (group.length > 1) this.found.push(group.sort());
		return Number.POSITIVE_INFINITY;
	}
}

function partOf(path: string): string {
	return path.split("/", 1)[0] ?? path;
}

/** Returns the import graph of the folders and files directly in `src`. */
export function partsOf(imports: Imports): Map<string, Set<string>> {
	const parts = new Map<string, Set<string>>();
	for (const [file, imported] of imports) {
		const part = partOf(file);
		const reached = parts.get(part) ?? new Set();
		for (const path of imported) if (partOf(path) !== part) reached.add(partOf(path));
		parts.set(part, reached);
	}
	return parts;
}

/**
 * Returns the import graph of all folders, at any depth. A wire and its `methods` folder import each other, so they
 * are one node.
 */
export function foldersOf(imports: Imports): Map<string, Set<string>> {
	const folderOf = (path: string): string => {
		const end = path.lastIndexOf("/");
		return end < 0 ? path : path.slice(0, end).replace(/^(wires\/\w+)\/methods$/, "$1");
	};
	const folders = new Map<string, Set<string>>();
	for (const [file, imported] of imports) {
		const folder = folderOf(file);
		const reached = folders.get(folder) ?? new Set();
		for (const path of imported) if (folderOf(path) !== folder) reached.add(folderOf(path));
		folders.set(folder, reached);
	}
	return folders;
}

/**
 * Returns the imports that do not point to a lower layer, and the folders without a layer. A layer contains names of
 * folders and files in `src`, or `.` for files that no layer names. If no layer contains `.`, these files may import
 * every file.
 */
export function againstLayers(imports: Imports, layers: readonly (readonly string[])[]): string[] {
	const heightOf = (part: string) => layers.findIndex((layer) => layer.includes(part));
	const placeOf = (path: string) => {
		const part = partOf(path);
		return part.endsWith(".ts") && heightOf(part) < 0 ? "." : part;
	};
	const isPlaced = (path: string) => heightOf(placeOf(path)) >= 0;
	const folders = new Set([...imports.keys()].map(placeOf));
	folders.delete(".");
	const unplaced = [...folders].filter((part) => heightOf(part) < 0).map((part) => `${part} has no layer`);
	const upward = [...imports].flatMap(([file, imported]) =>
		imported
			.filter((path) => placeOf(path) !== placeOf(file) && isPlaced(path) && isPlaced(file))
			.filter((path) => heightOf(placeOf(path)) >= heightOf(placeOf(file)))
			.map((path) => `${file} imports ${path}`),
	);
	return [...unplaced, ...upward];
}

/** Maximum number of source files in a folder without subfolders. */
const maxFiles = 25;

export function fullFolders(files: Iterable<string>): string[] {
	const paths = [...files].map((file) => file.split("/").slice(0, -1).join("/"));
	const isParent = (folder: string) =>
		paths.some((path) => path.startsWith(folder === "" ? "" : `${folder}/`) && path !== folder);
	const isFull = (folder: string) => paths.filter((path) => path === folder).length > maxFiles;
	return [...new Set(paths)].filter((folder) => isFull(folder) && !isParent(folder));
}
