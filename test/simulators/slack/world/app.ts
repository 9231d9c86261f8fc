import type { UserRecord } from "./records.ts";

/** A command that the manifest names: https://docs.slack.dev/reference/app-manifest#slash_commands */
export interface SlashCommand {
	readonly command: string;
	/** Whether people and channels come as `<@U…|name>` instead of as they were written. */
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
	/** `xoxb-…`. */
	readonly botToken: string;
	/** `xapp-…`, of sockets. */
	readonly appToken: string;
	/** `xoxe.xoxp-…`, of manifests. */
	readonly configToken: string;
	readonly signingSecret: string;
	/** Verification token of older apps, which payloads contain. */
	readonly verificationToken: string;
	/** Error of revoked tokens: `token_revoked`, `account_inactive`, … */
	tokenError: string | undefined;
	/** Scopes granted by the workspace. */
	scopes: ReadonlySet<string>;
	/** Subscribed events: `message.channels`, … */
	subscriptions: ReadonlySet<string>;
	commands: readonly SlashCommand[];
	shortcuts: readonly Shortcut[];
	/** Whether it was declared an agent: https://docs.slack.dev/ai/agent-sessions */
	agent: boolean;
	/** As it is installed. */
	manifest: Readonly<Record<string, unknown>>;
}
