import { benchGrowing } from "./measure/growing-bench.ts";
import { readOptions } from "./measure/report.ts";

/**
 * Growing answers in Slack, compared with Slack's web client alone: see `benchGrowing`. Half of the answers are in
 * channels and grow by edits. The other half are in direct messages and grow by native streams.
 */
const sides = { kit: "slack-kit", sdk: "slack-sdk", platform: "slack-platform", library: "@slack/web-api" };
await benchGrowing("growing-slack", sides, readOptions(3));
