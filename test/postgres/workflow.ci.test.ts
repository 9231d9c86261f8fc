import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { expect } from "vitest";
import { test } from "./postgres-test.ts";

const program = fileURLToPath(new URL("./workflow-program.ts", import.meta.url));

/** Skill whose commands append to their own files, which makes a repeated command visible. */
const deploy = `---
steps:
  - {id: plan, prompt: "run: printf p >> plan.txt"}
  - {id: build, needs: plan, prompt: "run: printf b >> build.txt"}
  - {id: check, needs: plan, prompt: "say: checked"}
  - {id: ship, needs: [build, check], prompt: "run: printf s >> ship.txt; cat ship.txt", criteria: "contains: s"}
---
Deploys.
`;

test("on PostgreSQL, a workflow continues after kills of its process, and each step runs once", async ({
	database,
}) => {
	const directory = await mkdtemp(join(tmpdir(), "parley-workflow-"));
	for (const name of ["root", "data/skills"]) await mkdir(join(directory, name), { recursive: true });
	await writeFile(join(directory, "data/skills/deploy.md"), deploy);
	const live = async (hooks = "") => {
		const child = spawn(process.execPath, [program, database, directory, ...(hooks ? [hooks] : [])], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		const [out, [code, signal]] = await Promise.all([text(child.stdout), once(child, "close")]);
		return { code, signal, out };
	};
	// Kills the first process when it records the result of a step, and the second process when the second step starts.
	for (const hooks of ["skill-step-ended=kill@1", "skill-step-started=kill@2"]) {
		expect(await live(hooks), hooks).toMatchObject({ signal: "SIGKILL" });
	}
	const { code, out } = await live();
	expect(code).toBe(0);
	const events = out
		.trimEnd()
		.split("\n")
		.map((line) => Object(parseJson(line)))
		.filter(({ type }) => String(type).startsWith("skill.") || type === "assistant.message")
		.map(({ type, stepId = "", error = "" }) => `${type} ${stepId} ${error}`.trim());
	const steps = ["plan", "build", "check", "ship"];
	expect(events.toSorted()).toEqual(
		[
			...["skill.started", "skill.completed", "assistant.message"],
			...steps.flatMap((id) => [`skill.step.started ${id}`, `skill.step.completed ${id}`]),
		].toSorted(),
	);
	for (const [name, mark] of [
		["plan", "p"],
		["build", "b"],
		["ship", "s"],
	]) {
		expect(await readFile(join(directory, "root", `${name}.txt`), "utf8"), name).toBe(mark);
	}
	await rm(directory, { recursive: true });
});
