import { benchGrowing } from "./measure/growing-bench.ts";
import { readOptions } from "./measure/report.ts";

/** Growing answers in Slack channels, by edits, compared with Slack's web client alone: see `benchGrowing`. */
const sides = {
	kit: "slack-kit",
	sdk: "slack-sdk",
	platform: "slack-platform",
	library: "@slack/web-api",
	given: ["channels"],
};
await benchGrowing("growing-slack-edits", sides, readOptions(3));
