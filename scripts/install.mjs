import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture, seconds } from "./capture.mjs";
import { binary, root } from "./paths.mjs";

const stamp = join(root, "node_modules/.parley-install");

/**
 * Installs missing packages. Takes a few milliseconds if no package is missing, because it only compares the manifests
 * and the lock file with the last installation. If the installation fails, prints instructions and resolves to false.
 */
export async function install() {
	const requested = fingerprint();
	if (existsSync(stamp) && readFileSync(stamp, "utf8") === requested && existsSync(binary("node")))
		return true;

	console.error(
		"parley: fetching Node 24 and the libraries, once, into node_modules; it takes about a minute …",
	);
	const began = performance.now();
	// With `CI`, pnpm does not ask before it replaces a node_modules directory that another package manager made.
	const env = { ...process.env, CI: "true" };
	const { code, output } = await capture("npx", ["--yes", "pnpm@12", "install", "--frozen-lockfile"], {
		env,
	});
	if (code !== 0) {
		console.error(`${output.trimEnd()}\n\nparley: the installation failed. ${advice(output)}`);
		return false;
	}
	writeFileSync(stamp, requested);
	console.error(`parley: installed in ${seconds(began)}`);
	return true;
}

/** @param {string} output */
function advice(output) {
	if (output.includes("ERR_PNPM_OUTDATED_LOCKFILE")) {
		return "A package.json was changed: bring the lock file up to date with `npx pnpm@12 install`.";
	}
	return "It needs npm and a way to the npm registry (`npm ping` tells whether there is one). Then run the same command again.";
}

/** Returns a hash that changes whenever the required installation may differ from node_modules. */
function fingerprint() {
	const manifests = readdirSync(join(root, "packages")).map((name) => `packages/${name}/package.json`);
	const files = [
		"pnpm-lock.yaml",
		"pnpm-workspace.yaml",
		"package.json",
		"test/package.json",
		...manifests.sort(),
	];
	const hash = createHash("sha256").update(`${process.platform} ${process.arch}`);
	for (const file of files) {
		if (existsSync(join(root, file))) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
	}
	return hash.digest("hex");
}
