import type { Prompt, UserRecord } from "./records.ts";

/** A command of the manifest: https://docs.slack.dev/reference/app-manifest#slash_commands */
export interface SlashCommand {
	readonly command: string;
	/** Whether mentions of users and channels are sent as `<@U…|name>` instead of as typed. */
	readonly should_escape?: boolean;
}

/** A shortcut of the manifest: https://docs.slack.dev/reference/app-manifest#shortcuts */
export interface Shortcut {
	readonly name: string;
	readonly callback_id: string;
	readonly type: "message" | "global";
}

export interface AppRecord {
	readonly id: string;
	readonly name: string;
	readonly user: UserRecord;
	readonly botId: string;
	readonly botToken: string;
	readonly appToken: string;
	readonly configToken: string;
	readonly signingSecret: string;
	/** Token with which older apps verify requests. All payloads contain it. */
	readonly verificationToken: string;
	/** Error of all calls after the tokens were revoked, for example `token_revoked` or `account_inactive`. */
	tokenError: string | undefined;
	scopes: ReadonlySet<string>;
	/** Subscribed events, for example `message.channels`. */
	subscriptions: ReadonlySet<string>;
	commands: readonly SlashCommand[];
	shortcuts: readonly Shortcut[];
	/** Whether the app is declared as an agent: https://docs.slack.dev/ai/agent-sessions */
	agent: boolean;
	/** Whether the app has `agent_view`, the successor of `assistant_view`. */
	agentView: boolean;
	hasHome: boolean;
	prompts: readonly Prompt[];
	manifest: Readonly<Record<string, unknown>>;
}
