import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, Redactor, silentLogger, systemClock } from "@parley/base";
import type { Model } from "@parley/core";
import { type ConfigFlags, loadConfig, startGateway } from "@parley/gateway";
import { answerParent } from "./answer-parent.ts";

/** Starts a gateway with an on-disk store. The process must be a child process from `startServer`. */
export async function serveGateway(options: {
	readonly flags?: ConfigFlags;
	readonly model?: Model;
	/** An empty directory for the gateway. The caller removes it. By default, a new temporary directory. */
	readonly directory?: string | undefined;
	readonly settings?: object;
}): Promise<void> {
	const data = options.directory ?? mkdtempSync(join(tmpdir(), "parley-bench-"));
	// Prevents compaction of long sessions.
	const model = { id: "bench", provider: "bench", context_window: 1_000_000_000, max_output: 8_192 };
	mkdirSync(join(data, "data"), { mode: 0o700 });
	writeFileSync(join(data, "data", "models.json"), JSON.stringify({ models: [model] }));
	if (options.settings)
		writeFileSync(join(data, "data", "parley.config.json"), JSON.stringify(options.settings));
	const gateway = await startGateway({
		config: loadConfig({
			flags: { listen: ["127.0.0.1:0"], data: join(data, "data"), root: [data], ...options.flags },
			// Titles would add a frame after the first reply of each session.
			environment: { PARLEY_TITLES: "false" },
			cwd: data,
			defaultData: join(data, "data"),
		}),
		clock: systemClock,
		ids: createIds(),
		log: silentLogger,
		redactor: new Redactor(),
		version: "bench",
		currentDirectory: data,
		...(options.model && { model: options.model }),
	});
	answerParent(Number(new URL(gateway.urls[0] ?? "").port), async () => {
		await gateway.stop(0);
		if (options.directory === undefined) rmSync(data, { recursive: true });
	});
}
