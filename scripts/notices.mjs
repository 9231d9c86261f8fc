import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import licences from "spdx-license-list/full.js";

/**
 * Returns the licence texts of libraries. The texts must accompany the libraries' code.
 * @param {readonly string[]} modules The absolute paths of all modules.
 */
export function noticesOf(modules) {
	const folders = new Set(modules.flatMap((path) => packageFolder.exec(path)?.[0] ?? []));
	return [...folders].map(noticeOf).sort().join("\n\n");
}

/** Pattern of the folder of the innermost package, without the bundler's prefix for virtual modules. */
const packageFolder = /(?<=^\0?)\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Minimum characters of a licence text. A shorter file only names a licence. */
const minText = 400;

/** @param {string} folder */
function noticeOf(folder) {
	const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
	const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
	const standard = texts.some((text) => text.length > minText)
		? []
		: standardTexts(license, author?.name ?? author ?? `the authors of ${name}`);
	return [`${name} ${version} (${license})`, ...texts, ...standard].join("\n\n");
}

/**
 * Returns the texts of the licences in an SPDX expression. Throws if the SPDX list lacks one of these licences.
 * @param {string} expression
 * @param {string} holder
 */
function standardTexts(expression, holder) {
	const ids = expression.split(/ AND | OR |[()]/).filter((id) => id !== "");
	return ids.map((id) => {
		const licence = licences[id];
		if (licence === undefined)
			throw new Error(`there is no text of the licence ${id}: see scripts/notices.mjs`);
		// The copyright line names a placeholder or the first users of the licence.
		return licence.licenseText.replace(/(?:^Copyright .*\n)+/m, `Copyright (c) ${holder}\n`).trim();
	});
}
