import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defined, parseJson } from "@parley/base";
import { gatewayRunTexts } from "../texts/gateway/run.ts";

/** The copy of Parley that this process runs. */
export interface Installation {
	/**
	 * Kind of the installation:
	 * - `clone`: the sources
	 * - `global`: installed by `npm install --global`
	 * - `npx`: a copy in npm's cache, which npm may delete
	 * - `project`: in the `node_modules` of another package, or installed by another package manager
	 */
	readonly kind: "clone" | "global" | "npx" | "project";
	/** Name of the npm package. */
	readonly name: string;
	readonly version: string;
	/** Real path of the package's directory. */
	readonly home: string;
	/** Path of the command's program. Start it with `process.execPath`, because the `node` in the PATH may be too old. */
	readonly program: string;
	/** npm's prefix, only present for `global`. `npm install --global --prefix PREFIX TARBALL` replaces this copy. */
	readonly prefix?: string;
}

/** Finds the package that contains a module. By default, the package of this process. */
export function findInstallation(module = import.meta.url): Installation {
	const home = packageAbove(dirname(realpathSync(fileURLToPath(module))));
	const { name, version } = parseJson(readFileSync(join(home, "package.json"), "utf8")) as {
		// npm refuses to install a package without these fields.
		readonly name: string;
		readonly version: string;
	};
	const program = join(home, "bin/parley.mjs");
	const prefix = prefixOf(home, program);
	return { kind: kindOf(home, prefix), name, version, home, program, ...defined({ prefix }) };
}

function packageAbove(directory: string): string {
	if (existsSync(join(directory, "package.json"))) return directory;
	const above = dirname(directory);
	if (above === directory) throw new Error(gatewayRunTexts.noPackage);
	return packageAbove(above);
}

function kindOf(home: string, prefix: string | undefined): Installation["kind"] {
	if (existsSync(join(home, "src"))) return "clone";
	if (prefix !== undefined) return "global";
	return home.split("/").includes("_npx") ? "npx" : "project";
}

/**
 * Returns the prefix of npm's global packages, or undefined if npm has not installed this copy globally. npm puts
 * packages in `lib/node_modules`, and links to programs in `bin`:
 * https://docs.npmjs.com/cli/v11/configuring-npm/folders
 */
function prefixOf(home: string, program: string): string | undefined {
	const modules = dirname(home);
	if (basename(modules) !== "node_modules" || basename(dirname(modules)) !== "lib") return undefined;
	const prefix = dirname(dirname(modules));
	try {
		return realpathSync(join(prefix, "bin/parley")) === program ? prefix : undefined;
	} catch {
		return undefined;
	}
}
