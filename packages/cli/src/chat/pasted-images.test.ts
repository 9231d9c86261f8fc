import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { PastedImages } from "./pasted-images.ts";

function directory(...names: readonly string[]): string {
	const root = mkdtempSync(join(tmpdir(), "parley-images-"));
	onTestFinished(() => rmSync(root, { recursive: true }));
	for (const name of names) writeFileSync(join(root, name), "");
	return root;
}

test("a pasted path of an image becomes a label that stands for it", () => {
	const cwd = directory("a.png", "my photo.JPG");
	const images = new PastedImages();
	expect(images.labelOf(`${join(cwd, "a.png")}\n`, cwd)).toBe("[image 1: a.png]");
	expect(images.labelOf(`'${join(cwd, "my photo.JPG")}'`, cwd)).toBe("[image 2: my photo.JPG]");
	expect(images.labelOf(join(cwd, "my\\ photo.JPG"), cwd)).toBe("[image 2: my photo.JPG]");
	expect(images.labelOf(pathToFileURL(join(cwd, "a.png")).href, cwd)).toBe("[image 1: a.png]");
	expect(images.pathsIn("compare [image 2: my photo.JPG] with [image 1: a.png]", cwd)).toEqual([
		join(cwd, "a.png"),
		join(cwd, "my photo.JPG"),
	]);
	expect(images.pathsIn("compare [image 3: a.png]", cwd)).toEqual([]);
});

test("a path after @ is an image, and each image is sent once", () => {
	const cwd = directory("a.png");
	const images = new PastedImages();
	const label = images.labelOf("a.png", cwd);
	expect(images.pathsIn(`@a.png and ${label}`, cwd)).toEqual([join(cwd, "a.png")]);
});

test.each(["look at a.png", "b.png", "a.txt", "", "file://%zz.png", "a.png\nb.png"])(
	"the pasted text %j stays a text",
	(pasted) => {
		expect(new PastedImages().labelOf(pasted, directory("a.png", "a.txt"))).toBeUndefined();
	},
);
