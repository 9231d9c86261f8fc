import { setupSteps } from "@parley/slack";
import type { Io } from "../io.ts";
import { openSlackChecks, platformOf } from "./examine-slack.ts";
import type { SlackFlags } from "./run-slack-connector.ts";
import { setUpConnector } from "./set-up-connector.ts";

/** Walks a person through making a Slack app; returns the exit code. */
export async function setUpSlack(flags: SlackFlags, io: Io): Promise<number> {
	const checks = await openSlackChecks({ flags, io });
	const way = {
		...{ platform: platformOf(checks), hasToken: (io.environment["SLACK_BOT_TOKEN"] ?? "").trim() !== "" },
		// Over HTTP Slack is heard only while the connector waits for it.
		withConnector: checks.http?.knock === undefined ? ["rooms"] : ["transport", "rooms"],
		...(flags.listen !== undefined && { connectorArgs: ["--listen", flags.listen] }),
		steps: (answered: (signal: AbortSignal) => Promise<void>, patienceMs: number) =>
			setupSteps({ ...checks, answered, patienceMs }),
	};
	return setUpConnector(way, flags, io);
}
