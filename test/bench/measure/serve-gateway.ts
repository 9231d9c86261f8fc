import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, Redactor, silentLogger, systemClock } from "@parley/base";
import type { Model } from "@parley/core";
import { type ConfigFlags, loadConfig, startGateway } from "@parley/gateway";
import { answerParent } from "./answer-parent.ts";

/** A gateway with its store on disk, as a server of `startServer`. */
export async function serveGateway(made: {
	readonly flags?: ConfigFlags;
	readonly model?: Model;
	/** An empty directory for all that is kept: the parent removes it. One of its own unless told. */
	readonly directory?: string | undefined;
	/** What its configuration file holds. */
	readonly settings?: object;
}): Promise<void> {
	const data = made.directory ?? mkdtempSync(join(tmpdir(), "parley-bench-"));
	// A session that is used for minutes must not be cut down to a window on the way.
	const model = { id: "bench", provider: "bench", context_window: 1_000_000_000, max_output: 8_192 };
	mkdirSync(join(data, "data"), { mode: 0o700 });
	writeFileSync(join(data, "data", "models.json"), JSON.stringify({ models: [model] }));
	if (made.settings) writeFileSync(join(data, "data", "parley.config.json"), JSON.stringify(made.settings));
	const gateway = await startGateway({
		config: loadConfig({
			flags: { listen: ["127.0.0.1:0"], data: join(data, "data"), root: [data], ...made.flags },
			// A frame more after the first reply of each session would be counted where it is not meant.
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
		...(made.model && { model: made.model }),
	});
	answerParent(Number(new URL(gateway.urls[0] ?? "").port), async () => {
		await gateway.stop(0);
		if (made.directory === undefined) rmSync(data, { recursive: true });
	});
}
