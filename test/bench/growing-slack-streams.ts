import { benchGrowing } from "./measure/growing-bench.ts";
import { readOptions } from "./measure/report.ts";

/**
 * Growing answers in direct messages of Slack, by native streams, compared with Slack's web client alone: see
 * `benchGrowing`.
 */
const sides = {
	kit: "slack-kit",
	sdk: "slack-sdk",
	platform: "slack-platform",
	library: "@slack/web-api",
	given: ["direct"],
};
await benchGrowing("growing-slack-streams", sides, readOptions(3));
