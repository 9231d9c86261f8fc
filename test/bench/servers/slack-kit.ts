import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { chanceOf, createIds, silentLogger, systemClock } from "@parley/base";
import { createClient } from "@parley/protocol";
import { runSlack } from "@parley/slack";
import { answerParent } from "../measure/answer-parent.ts";

/** The complete Slack connector with an on-disk database. */
const [, , platform = "", gatewayUrl = ""] = process.argv;
const ids = createIds();
const surroundings = { clock: systemClock, ids };
const operator = createClient({ url: gatewayUrl, ...surroundings });
const { token } = await operator.request("create_token", {
	kind: "connector",
	name: "slack",
	platform: "slack",
});
await operator.close();
const dataDir = mkdtempSync(join(tmpdir(), "parley-bench-"));
const connector = await runSlack({
	...{ botToken: "xoxb-bench", appToken: "xapp-bench", apiUrl: `${platform}/api/` },
	// With Slack's limits, the connector would be idle most of the time.
	unlimited: true,
	gatewayUrl,
	gatewayToken: token,
	dataDir,
	log: silentLogger,
	chance: () => chanceOf(ids),
	...surroundings,
});
// The connector connects in the background.
while (!(await connector.status()).connector) await setImmediate();
answerParent(0, async () => {
	await connector.stop();
	rmSync(dataDir, { recursive: true });
});
