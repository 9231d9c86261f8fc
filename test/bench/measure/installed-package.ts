import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBundle } from "../../../packages/cli/bin/bundle.mjs";

const source = fileURLToPath(new URL("../../../packages/cli", import.meta.url));

/**
 * Installs the command in this directory: its `bin` folder and its bundle, with the libraries of this clone. The
 * compile cache of the installation starts empty. Returns the directory of the package. Throws if the sources have no
 * bundle.
 */
export function installPackage(directory: string): string {
	const bundle = findBundle();
	if (bundle === undefined)
		throw new Error("Cannot install the package: the sources have no bundle. Run `npm run build` first.");
	const home = join(directory, "installed");
	mkdirSync(join(home, "dist"), { recursive: true });
	for (const name of ["package.json", "bin"]) {
		cpSync(join(source, name), join(home, name), { recursive: true });
	}
	cpSync(bundle, join(home, "dist", basename(bundle)), {
		recursive: true,
		filter: (path) => path !== join(bundle, "compiled"),
	});
	symlinkSync(join(source, "node_modules"), join(home, "node_modules"));
	return home;
}
