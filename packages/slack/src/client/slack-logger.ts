import type { Logger } from "@parley/base";
import { type LogLevel, LogLevel as levels, type Logger as SlackLogger } from "@slack/bolt";

/**
 * Returns an adapter of the log for Slack's libraries:
 * - `error` lines become warnings
 * - `info` lines, which are internal, get the level `debug`
 * - `debug` lines are dropped, because they contain all sent data
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
