import { benchGrowing } from "./measure/growing-bench.ts";
import { readOptions } from "./measure/report.ts";

/**
 * Growing answers in Slack, half of them in channels by edits, and half in direct messages by native streams,
 * against Slack's web client alone: see `benchGrowing`.
 */
const sides = { kit: "slack-kit", sdk: "slack-sdk", platform: "slack-platform", library: "@slack/web-api" };
await benchGrowing("growing-slack", sides, readOptions(3));
