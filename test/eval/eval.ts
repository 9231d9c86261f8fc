import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { defined, ParleyError } from "@parley/base";
import { type Config, loadConfig } from "@parley/gateway";
import { type Places, type Played, playTask } from "./play-task.ts";
import { lineOf, tableOf, totalsOf } from "./results.ts";
import { tasks } from "./tasks.ts";

const limitMs = 300_000;

const { values } = parseArgs({
	options: { model: { type: "string" }, task: { type: "string" }, json: { type: "string" } },
});
const chosen = tasks.filter(({ name, kind }) => `${kind}: ${name}`.includes(values.task ?? ""));

try {
	if (chosen.length === 0) {
		throw new ParleyError(`no task has "${values.task}" in its name: use one of\n${names()}`, {
			code: "invalid_argument",
		});
	}
	const played: Played[] = [];
	for (const task of chosen) {
		const result = await playTask(task, { configOf, limitMs });
		console.log(lineOf(result));
		played.push(result);
	}
	const totals = totalsOf(played);
	console.log(`\n${tableOf(totals).join("\n")}`);
	if (values.json !== undefined)
		writeFileSync(values.json, `${JSON.stringify({ totals, played }, null, "\t")}\n`);
} catch (error) {
	console.error(ParleyError.from(error).message);
	process.exitCode = 1;
}

function configOf({ data, work }: Places): Config {
	const config = loadConfig({
		flags: {
			...{ listen: ["127.0.0.1:0"], data, root: [work], auth: "none", logLevel: "silent" },
			...defined({ model: values.model }),
		},
		// The model and its key come from the usual sources.
		environment: { ...process.env, PARLEY_TITLES: "false" },
		cwd: work,
		defaultData: data,
	});
	if (config.provider === "offline") {
		throw new ParleyError("no model is configured: set ANTHROPIC_API_KEY, as docs/models.md describes", {
			code: "failed_precondition",
		});
	}
	return config;
}

function names(): string {
	return tasks.map(({ kind, name }) => `${kind}: ${name}`).join("\n");
}
