import { expect, test } from "vitest";
import { options } from "../../packages/cli/bin/memory-settings.mjs";
import { runProgram } from "./run-program.ts";

const settings = new URL("../../packages/cli/bin/memory-settings.mjs", import.meta.url).href;

test("options that this Node does not support are omitted, and the start continues", () => {
	const own = {
		options: ["--max-semi-space-size=4", "--option-that-vanished=1"],
		variables: { PARLEY_TEST_VARIABLE: "set" },
	};
	const printed = runProgram(`import { applyMemorySettings } from ${JSON.stringify(settings)};
		applyMemorySettings("gateway", ${JSON.stringify(own)});
		console.log(JSON.stringify([process.execArgv, process.env.PARLEY_TEST_VARIABLE]));`);
	expect(printed).toEqual([["--max-semi-space-size=4"], "set"]);
});

test.each([
	...["start", "gateway", "discord", "slack"].map(
		(command) => [command, ["--max-semi-space-size=4"], "2"] as const,
	),
	...["chat", "rpc", undefined].map((command) => [command, [], null] as const),
])("the command %s is long-lived with the settings, or short-lived without", (command, args, arenas) => {
	const printed = runProgram(`import { applyMemorySettings } from ${JSON.stringify(settings)};
		applyMemorySettings(${JSON.stringify(command)});
		console.log(JSON.stringify([process.execArgv, process.env.MALLOC_ARENA_MAX ?? null]));`);
	expect(printed).toEqual([args, arenas]);
});

test("a start without execve continues with the settings that it can apply", () => {
	const printed = runProgram(`import { applyMemorySettings } from ${JSON.stringify(settings)};
		process.execve = undefined;
		applyMemorySettings("gateway");
		console.log(JSON.stringify(process.execArgv));`);
	expect(printed).toEqual([]);
});

test("with the options of a start, Node uses the compiled code of its own modules", () => {
	// V8 stores this tag in compiled code, and refuses code with another tag:
	// https://nodejs.org/api/v8.html#v8cacheddataversiontag
	const tag = `import { cachedDataVersionTag } from "node:v8"; console.log(cachedDataVersionTag());`;
	expect(runProgram(tag, options)).toBe(runProgram(tag));
	expect(runProgram(tag, ["--expose-gc"])).not.toBe(runProgram(tag));
});
