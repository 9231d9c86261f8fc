import type { Logger } from "@parley/base";
import { type LogLevel, LogLevel as levels, type Logger as SlackLogger } from "@slack/bolt";

/**
 * Returns an adapter of the log for Slack's libraries. It logs their `error` lines as warnings, and their `info` lines, which
 * are internal, at the level `debug`. It drops their `debug` lines, because they contain all sent data.
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
