export { createSlackPort, type SlackPortOptions, type SlackTransport } from "./client/slack-client.ts";
export { type RunSlackOptions, runSlack } from "./run-slack.ts";
export { examineSlack, type SlackChecks, type WrongSetting } from "./setup/checks.ts";
export { type Manifest, type ManifestOptions, manifestOf } from "./setup/manifest.ts";
export { type Difference, differenceWords, manifestDiff, readManifest } from "./setup/manifest-diff.ts";
export { openChecks } from "./setup/open-checks.ts";
export { type SetupParts, setupSteps } from "./setup/setup-steps.ts";
export { createSlackPlatform, type PlatformParts } from "./slack-platform.ts";
export { messageId } from "./vocabulary/message-id.ts";
export type {
	OwnAccount,
	SlackAnswer,
	SlackCall,
	SlackEnvelope,
	SlackLink,
	SlackPort,
	SlackReply,
} from "./vocabulary/slack-port.ts";
