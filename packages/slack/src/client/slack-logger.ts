import type { Logger } from "@parley/base";
import { type LogLevel, LogLevel as levels, type Logger as SlackLogger } from "@slack/bolt";

/**
 * Adapter of the log for Slack's libraries. Their `info` lines are internal, and their `debug` lines contain all data that
 * they send, so both are dropped.
 */
export function slackLogger(log: Logger): SlackLogger {
	const joined = (words: readonly unknown[]): string => words.map(String).join(" ");
	return {
		debug: () => undefined,
		info: (...words) => log.debug(joined(words)),
		warn: (...words) => log.warn(joined(words)),
		error: (...words) => log.warn(joined(words)),
		setLevel: () => undefined,
		setName: () => undefined,
		getLevel: (): LogLevel => levels.INFO,
	};
}
