import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pacedNow } from "@parley/base/testing";
import { afterAll, expect, test } from "vitest";
import { node20, pack } from "../packages/packed.ts";
import { FreshMachine } from "./fresh-machine.ts";
import { limits, playFirstTen, report } from "./play.ts";

const stage = mkdtempSync(join(tmpdir(), "parley-first-package-"));
afterAll(() => rmSync(stage, { recursive: true, force: true }));

test("a new user gets an answer about a project within 90 s and 3 commands, with Node 20 and npm only", async () => {
	const node = await node20(stage);
	const [tarball = ""] = await pack(node, stage, "command");
	await using machine = await FreshMachine.create(node, tarball);
	const play = await playFirstTen(machine, tarball);
	const { rows } = report(play);
	expect(play.steps.filter(({ kind }) => kind === "command").length).toBe(limits.commands);
	expect(play.seconds, rows.join("\n")).toBeLessThanOrEqual(pacedNow(limits.seconds * 1000) / 1000);
});
