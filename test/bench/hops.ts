import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createIds, Redactor, silentLogger, systemClock } from "@parley/base";
import { createAnthropicModel, type Model, ModelTable } from "@parley/core";
import { loadConfig, startGateway } from "@parley/gateway";
import { CallDepth } from "./measure/call-depth.ts";
import { DrainClient } from "./measure/drain-client.ts";
import { type Figure, readOptions, report, roundsOf } from "./measure/report.ts";
import { openSession, request } from "./measure/requests.ts";
import { startServer } from "./measure/server-process.ts";

/**
 * Counts the code that handles one message in a session with earlier answers:
 * - Files and functions: our functions that run between a "hello" and the last frame of its answer, by V8 coverage.
 * - Depth: nested calls of our functions from the message's acceptance to the provider, which is the innermost call.
 */
const packages = fileURLToPath(new URL("../../packages", import.meta.url));
const options = readOptions(3);
const warmUp = 3;

const directory = mkdtempSync(join(tmpdir(), "parley-hops-"));
const provider = await startServer("model-server");
const inspector = new Session();
inspector.connect();
const callDepth = await CallDepth.start(inspector);
const real = createAnthropicModel({
	...{ apiKey: undefined, baseUrl: `http://127.0.0.1:${provider.port}`, defaultModel: "bench" },
	table: new ModelTable(),
	clock: systemClock,
	log: silentLogger,
});
const model: Model = {
	provider: real.provider,
	defaultModel: real.defaultModel,
	stream(...args) {
		callDepth.mark("the provider");
		return real.stream(...args);
	},
};
const gateway = await startGateway({
	config: loadConfig({
		flags: {
			listen: ["127.0.0.1:0"],
			data: directory,
			// Avoids the capability checks of a sandbox, which would run during the first messages.
			sandbox: "off",
		},
		environment: { PARLEY_TITLES: "false" },
		cwd: directory,
		defaultData: directory,
	}),
	clock: systemClock,
	ids: createIds(),
	log: silentLogger,
	redactor: new Redactor(),
	version: "bench",
	currentDirectory: directory,
	model,
	failpoints: {
		reach(place: string): void {
			if (place === "accepted") callDepth.mark("the accepted message");
		},
	},
});
const client = await DrainClient.open(Number(new URL(gateway.urls[0] ?? "").port), "/api/ws");
await openSession(client, {});
for (let message = 0; message < warmUp; message++) await hello();
const path = [...callDepth.between("the accepted message", "the provider"), "the provider"];
await callDepth.stop();
await inspector.post("Profiler.enable");

const files: number[] = [];
const functions: number[] = [];
let byFile: readonly { readonly file: string; readonly names: readonly string[] }[] = [];
for (const round of roundsOf(options, warmUp)) {
	await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
	await hello();
	const { result } = await inspector.post("Profiler.takePreciseCoverage");
	await inspector.post("Profiler.stopPreciseCoverage");
	if (round < warmUp) continue;
	byFile = calledIn(result);
	files.push(byFile.length);
	functions.push(byFile.reduce((sum, { names }) => sum + names.length, 0));
}
client.close();
await gateway.stop(0);
await provider.stop();
rmSync(directory, { recursive: true });

for (const { file, names } of byFile) console.log(`${String(names.length).padStart(4)}  ${file}`);
const figure = (name: string, values: readonly number[]): Figure => ({ name, unit: "", values });
const depth = figure("depth", [path.length]);
console.log(`\n${path.join("\n")}\n`);
report(
	"hops",
	[figure("files", files), figure("functions", functions), depth],
	[{ figure: depth, atMost: 5 }],
	options,
);

async function hello(): Promise<void> {
	const answered = client.until("assistant.message");
	client.send(request("send_message", { content: "words 1" }));
	await answered;
}

function calledIn(
	result: readonly {
		readonly url: string;
		readonly functions: readonly {
			readonly functionName: string;
			readonly ranges: readonly { readonly count: number }[];
		}[];
	}[],
) {
	const own = result.filter(({ url }) => url.includes("/packages/") && url.includes("/src/"));
	return own
		.map(({ url, functions: all }) => ({
			file: relative(packages, fileURLToPath(url)),
			names: all.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName),
		}))
		.filter(({ names }) => names.length > 0)
		.sort((a, b) => b.names.length - a.names.length || a.file.localeCompare(b.file));
}
