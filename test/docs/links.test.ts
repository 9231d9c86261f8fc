import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const pages = globSync(["*.md", "{docs,examples}/**/*.md", "packages/*/README.md"], {
	cwd: root,
	exclude: ["**/node_modules/**"],
});

function read(path: string): string {
	return readFileSync(join(root, path), "utf8").replaceAll(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)$/gm, "");
}

function links(page: string): string[] {
	return [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
		.map(([, target = ""]) => target)
		.filter((target) => !/^[a-z]+:/.test(target));
}

/** Returns the anchors of a page, in the form that GitHub generates. */
function anchors(page: string): string[] {
	return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
		heading
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
			.trim()
			.replaceAll(/\s/g, "-"),
	);
}

test.each(pages)("the links of %s lead to files and headings", (page) => {
	const broken = links(page).filter((link) => {
		const [path = "", anchor] = link.split("#");
		const target = path === "" ? page : relative(root, join(root, dirname(page), path));
		if (!existsSync(join(root, target))) return true;
		return anchor !== undefined && !(target.endsWith(".md") && anchors(target).includes(anchor));
	});
	expect(broken).toEqual([]);
});

test("each page of the documentation is listed in docs/README.md", () => {
	const listed = new Set(links("docs/README.md").map((link) => join("docs", link)));
	const guides = pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== "docs/README.md");
	// This page is for contributors, so CONTRIBUTING.md links to it instead of docs/README.md.
	const others = ["docs/one-change.md"];
	expect(guides.filter((page) => !listed.has(page) && !others.includes(page))).toEqual([]);
});

test("the README has at most 120 lines", () => {
	expect(readFileSync(join(root, "README.md"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});
