import type { Prompt, UserRecord } from "./records.ts";

/** A command of the manifest: https://docs.slack.dev/reference/app-manifest#slash_commands */
export interface SlashCommand {
	readonly command: string;
	/** True if people and channels are sent as `<@U…|name>` instead of as written. */
	readonly should_escape?: boolean;
}

/** https://docs.slack.dev/reference/app-manifest#shortcuts */
export interface Shortcut {
	readonly name: string;
	readonly callback_id: string;
	readonly type: "message" | "global";
}

/** The app under test. */
export interface AppRecord {
	readonly id: string;
	readonly name: string;
	readonly user: UserRecord;
	readonly botId: string;
	/** Bot token, `xoxb-…`. */
	readonly botToken: string;
	/** App token for sockets, `xapp-…`. */
	readonly appToken: string;
	/** Configuration token for manifests, `xoxe.xoxp-…`. */
	readonly configToken: string;
	readonly signingSecret: string;
	/** Verification token of older apps, which payloads contain. */
	readonly verificationToken: string;
	/** Error of revoked tokens: `token_revoked`, `account_inactive`, … */
	tokenError: string | undefined;
	scopes: ReadonlySet<string>;
	/** Subscribed events: `message.channels`, … */
	subscriptions: ReadonlySet<string>;
	commands: readonly SlashCommand[];
	shortcuts: readonly Shortcut[];
	/** True if the app is declared as an agent: https://docs.slack.dev/ai/agent-sessions */
	agent: boolean;
	/** Whether it has `agent_view`, the successor of `assistant_view`. */
	agentView: boolean;
	/** Whether it shows a Home tab. */
	hasHome: boolean;
	/** Suggestions of the manifest. */
	prompts: readonly Prompt[];
	manifest: Readonly<Record<string, unknown>>;
}
