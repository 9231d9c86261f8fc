import { setupSteps } from "@parley/slack";
import type { Io } from "../io.ts";
import { openSlackChecks } from "./examine-slack.ts";
import { slack } from "./platform.ts";
import type { ConnectorFlags } from "./run-connector.ts";
import { setUpConnector } from "./set-up-connector.ts";

/** Walks a person through making a Slack app; returns the exit code. */
export async function setUpSlack(flags: ConnectorFlags, io: Io): Promise<number> {
	const checks = await openSlackChecks({ flags, io });
	const way = {
		...{ platform: slack, hasToken: (io.environment["SLACK_BOT_TOKEN"] ?? "").trim() !== "" },
		firstWithConnector: "rooms",
		steps: (answered: (signal: AbortSignal) => Promise<void>, patienceMs: number) =>
			setupSteps({ ...checks, answered, patienceMs }),
	};
	return setUpConnector(way, flags, io);
}
