import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * What the packages of others ask to be told wherever their code goes: the texts of their licences.
 * @param {readonly string[]} modules The absolute paths of all modules.
 */
export function noticesOf(modules) {
	const folders = new Set(modules.flatMap((path) => packageFolder.exec(path)?.[0] ?? []));
	return [...folders].map(noticeOf).sort().join("\n\n");
}

/** Of the innermost package, without what stands before the path of a module that a bundler made up. */
const packageFolder = /(?<=^\0?)\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** @param {string} folder */
function noticeOf(folder) {
	const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
	const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
	return [`${name} ${version} (${license})`, ...texts].join("\n\n");
}
