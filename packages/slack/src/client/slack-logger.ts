import type { Logger } from "@parley/base";
import { type LogLevel, LogLevel as levels, type Logger as SlackLogger } from "@slack/bolt";

/**
 * Our log as Slack's libraries want one. What they say at `info` is about themselves, and at `debug` they would spell
 * out all that they send: both are left out.
 */
export function slackLogger(log: Logger): SlackLogger {
	const said = (words: readonly unknown[]): string => words.map(String).join(" ");
	return {
		debug: () => undefined,
		info: (...words) => log.debug(said(words)),
		warn: (...words) => log.warn(said(words)),
		error: (...words) => log.warn(said(words)),
		setLevel: () => undefined,
		setName: () => undefined,
		getLevel: (): LogLevel => levels.INFO,
	};
}
