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
}): Promise<void> {
	const data = mkdtempSync(join(tmpdir(), "parley-bench-"));
	// A session that is used for minutes must not be cut down to a window on the way.
	const model = { id: "bench", provider: "bench", context_window: 1_000_000_000, max_output: 8_192 };
	mkdirSync(join(data, "data"), { mode: 0o700 });
	writeFileSync(join(data, "data", "models.json"), JSON.stringify({ models: [model] }));
	const gateway = await startGateway({
		config: loadConfig({
			flags: { listen: ["127.0.0.1:0"], data: join(data, "data"), root: [data], ...made.flags },
			environment: {},
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
		rmSync(data, { recursive: true });
	});
}
