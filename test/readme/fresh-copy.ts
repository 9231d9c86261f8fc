import { execFileSync } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	linkSync,
	mkdirSync,
	readdirSync,
	readlinkSync,
	symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";

/**
 * Copies the working tree at `root` to `target`: the files that git does not ignore, and the installed packages.
 * Installed files are hard links if the file system allows it.
 */
export function freshCopy(root: string, target: string): void {
	const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
		cwd: root,
	});
	for (const path of listed.toString().split("\0")) {
		if (path === "" || !existsSync(join(root, path))) continue;
		mkdirSync(dirname(join(target, path)), { recursive: true });
		copyFileSync(join(root, path), join(target, path));
	}
	const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
	for (const folder of [".", "test", ...packages]) {
		const installed = join(folder, "node_modules");
		if (existsSync(join(root, installed))) linkTree(join(root, installed), join(target, installed));
	}
}

function linkTree(from: string, to: string): void {
	mkdirSync(to, { recursive: true });
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		const source = join(from, entry.name);
		const copy = join(to, entry.name);
		if (entry.isDirectory()) linkTree(source, copy);
		else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), copy);
		else linkOrCopy(source, copy);
	}
}

function linkOrCopy(source: string, copy: string): void {
	try {
		linkSync(source, copy);
	} catch {
		// Hard links fail, for example, if the target is on another file system.
		copyFileSync(source, copy);
	}
}
