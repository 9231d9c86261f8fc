import { appendFileSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { FakeLlama } from "./fake-llama.ts";

/**
 * The program of the simulator. It accepts the options and variables of llama-server that tests use, and additional
 * options. It appends its process id to `starts` in its working directory, and prints the names of its environment
 * variables. As in llama-server, the exit code is 1 if it cannot listen or load its model.
 */
const { values } = parseArgs({
	options: {
		model: { type: "string", short: "m", default: "model.gguf" },
		alias: { type: "string", short: "a" },
		host: { type: "string", default: process.env["LLAMA_ARG_HOST"] ?? "127.0.0.1" },
		port: { type: "string", default: process.env["LLAMA_ARG_PORT"] ?? "8080" },
		"ctx-size": { type: "string", short: "c", default: "65536" },
		jinja: { type: "boolean" },
		"delay-loading": { type: "boolean", default: false },
		"fail-loading": { type: "boolean", default: false },
		"ignore-term": { type: "boolean", default: false },
	},
});

const { host, port, model, alias = model } = values;
appendFileSync("starts", `${process.pid}\n`);
for (const name of Object.keys(process.env)) process.stdout.write(`variable ${name}\n`);
if (values["fail-loading"]) {
	process.stderr.write("srv  llama_server: exiting due to model loading error\n");
	process.exit(1);
}
if (values["ignore-term"]) process.on("SIGTERM", () => process.stdout.write("SIGTERM is ignored\n"));

try {
	const fake = await FakeLlama.start({
		...{ host, port: Number(port), alias, contextSize: Number(values["ctx-size"]) },
		delaysLoading: values["delay-loading"],
		isFirst: readFileSync("starts", "utf8").trim().split("\n").length === 1,
		exit: (code) => process.exit(code),
	});
	process.stderr.write(`srv  llama_server: listening on http://${host}:${port}\n`);
	if (!values["ignore-term"]) {
		process.once("SIGTERM", () => void fake.close().then(() => process.exit(0)));
	}
} catch {
	process.stderr.write(
		`srv         start: couldn't bind HTTP server socket, hostname: ${host}, port: ${port}\n`,
	);
	process.stderr.write("srv  llama_server: exiting due to HTTP server error\n");
	process.exit(1);
}
