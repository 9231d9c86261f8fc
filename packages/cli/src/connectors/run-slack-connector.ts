import { ParleyError } from "@parley/base";
import { guardProcess } from "@parley/connector";
import { runSlack } from "@parley/slack";
import type { Io } from "../command-line/io.ts";
import { UsageError } from "../command-line/usage.ts";
import { slack } from "../gateway/platform.ts";
import { type ConnectorFlags, readConnectorConfig, runConnector } from "./run-connector.ts";
import { slackSettings } from "./slack-settings.ts";

export interface SlackFlags extends ConnectorFlags {
	/** HOST:PORT at which the connector receives Slack's requests over HTTP. */
	readonly listen?: string;
}

/** Runs the Slack connector until it is stopped, and returns the exit code. */
export async function runSlackConnector(flags: SlackFlags, io: Io): Promise<number> {
	// Without a supervisor, missing settings are reported before any other work starts.
	if (!flags.supervised) slackSettings(io, await readConnectorConfig(flags, io), flags.listen);
	const secrets = slack.variables.flatMap((name) => io.environment[name]?.trim() || []);
	return runConnector({
		platform: slack.name,
		secrets,
		flags,
		io,
		start: async (running, config) => {
			guardProcess(running.log);
			const { botToken, transport } = settled(() => slackSettings(io, config, flags.listen));
			return runSlack({
				...running,
				joinMs: config.chat?.joinMs ?? 0,
				botToken,
				...transport,
				apiUrl: config.slack?.apiUrl,
			});
		},
	});
}

/**
 * Returns the result of `read`. Throws `failed_precondition` instead of a `UsageError`, because only an operator
 * can correct a setting. The supervisor then does not restart the connector.
 */
function settled<Value>(read: () => Value): Value {
	try {
		return read();
	} catch (cause) {
		if (!(cause instanceof UsageError)) throw cause;
		throw new ParleyError(cause.message.replaceAll("\n", ": "), { code: "failed_precondition", cause });
	}
}
