import { type Clock, defined, type Logger, ParleyError } from "@parley/base";
import { commandTable } from "@parley/connector";
import { slackLogger } from "../client/slack-logger.ts";
import { WebCalls, webOptions } from "../client/web-calls.ts";
import { connectionTexts } from "../texts/connection.ts";
import type { SlackChecks } from "./checks.ts";
import { type Entrance, probeAddress } from "./probe-address.ts";

const timeoutMs = 5000;

/** Opens access to Slack for the checks, without a socket. */
export function openChecks(options: {
	readonly botToken: string;
	readonly appToken?: string | undefined;
	/** For HTTP, the signing secret and the address, if they are known. */
	readonly http?: Partial<Entrance> | undefined;
	readonly wrong?: SlackChecks["wrong"];
	/** URL of the API. Default: `https://slack.com/api/`. */
	readonly apiUrl?: string | undefined;
	readonly clock: Clock;
	readonly log: Logger;
}): SlackChecks {
	const { botToken, appToken, http, wrong, apiUrl, clock, log } = options;
	const { signingSecret, listen } = http ?? {};
	const isKnown = signingSecret !== undefined && listen !== undefined;
	const web = webOptions(apiUrl, slackLogger(log));
	return {
		clock,
		shapes: commandTable,
		bot: new WebCalls(botToken, web),
		...defined({
			app: appToken === undefined ? undefined : new WebCalls(appToken, web),
			http: http && (isKnown ? { probe: () => probeAddress({ signingSecret, listen, clock }) } : {}),
			wrong,
		}),
		async theirTime() {
			const signal = AbortSignal.timeout(timeoutMs);
			const response = await fetch(new URL("api.test", apiUrl ?? "https://slack.com/api/"), {
				method: "POST",
				signal,
			}).catch((cause: unknown) => {
				throw new ParleyError(connectionTexts.noAnswer({ method: "api.test" }), {
					code: "unavailable",
					cause,
				});
			});
			await response.body?.cancel();
			const serverTime = Date.parse(response.headers.get("date") ?? "");
			return Number.isNaN(serverTime) ? undefined : serverTime;
		},
	};
}
