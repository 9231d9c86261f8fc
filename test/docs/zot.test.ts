import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { commandNames } from "../conformance/drivers/zot-frame.ts";
import { readScenes } from "./examples.ts";
import { playZot, writtenTypes } from "./play-zot.ts";

const document = readFileSync(new URL("../../docs/protocols/zot.md", import.meta.url), "utf8");
const scenes = readScenes(document);
const shown = new Set(
	scenes.flatMap(({ steps }) => steps.map((step) => (step.kind === "frame" ? step.value["type"] : ""))),
);

test.each(scenes.map((scene) => [scene.heading, scene] as const))("%s", (_heading, scene) => playZot(scene));

test("every command and every event has an example", () => {
	expect([...commandNames, ...writtenTypes].filter((type) => !shown.has(type))).toEqual([]);
});

test("the command that the document begins with answers", async () => {
	const [, script = ""] = /^```sh\n(.*?)^```$/ms.exec(document) ?? [];
	const home = mkdtempSync(join(tmpdir(), "parley-zot-"));
	const { stdout } = await promisify(execFile)("sh", ["-euc", script], {
		cwd: fileURLToPath(new URL("../..", import.meta.url)),
		env: { PATH: process.env["PATH"], HOME: home, PARLEY_SANDBOX: "off" },
	});
	rmSync(home, { recursive: true });
	const lines = stdout
		.trimEnd()
		.split("\n")
		.map((line) => Object(parseJson(line)));
	expect(lines.map(({ delta }) => delta ?? "").join("")).toBe("[offline] Hello!");
	expect(lines.at(-1)).toEqual({ type: "done", request_id: "1" });
});
