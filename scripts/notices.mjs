import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Texts of the licences of libraries, which must accompany their code.
 * @param {readonly string[]} modules The absolute paths of all modules.
 */
export function noticesOf(modules) {
	const folders = new Set(modules.flatMap((path) => packageFolder.exec(path)?.[0] ?? []));
	return [...folders].map(noticeOf).sort().join("\n\n");
}

/** Matches the innermost package, without the prefix of a virtual module of the bundler. */
const packageFolder = /(?<=^\0?)\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** @param {string} folder */
function noticeOf(folder) {
	const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
	const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
	return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}
