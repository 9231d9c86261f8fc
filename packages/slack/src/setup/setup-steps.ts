import { answerStep, type Finding, type SetupStep } from "@parley/connector";
import { appSettings } from "./ask-slack.ts";
import { type CheckName, runCheck, type SlackChecks } from "./checks.ts";

export interface SetupParts extends SlackChecks {
	/** Resolves when the running connector has answered a person for the first time. */
	readonly answered: (signal: AbortSignal) => Promise<void>;
	/** Maximum wait for it in milliseconds. */
	readonly patienceMs: number;
}

/** All steps until the bot answers, in order. The last one needs a running connector. */
export function setupSteps(parts: SetupParts): readonly SetupStep[] {
	const { answered, patienceMs, clock, http } = parts;
	const step = (id: string, title: string, todo: string, names: readonly CheckName[]): SetupStep => ({
		id,
		title,
		todo,
		async check() {
			const findings: Finding[] = [];
			for (const name of names) {
				const finding = await runCheck(name, parts);
				findings.push(finding);
				if (name === "token" && finding.status === "fail") break;
			}
			return findings;
		},
	});
	const transport =
		http === undefined
			? `Under "Basic Information", "App-Level Tokens", make a token with the scope connections:write, and set SLACK_APP_TOKEN to it.`
			: `Under "Basic Information" copy the signing secret, and set SLACK_SIGNING_SECRET to it; say with --listen where the connector waits. The request URL is the address outside, with /slack/events: once the connector runs, press "Retry" beside it under "Event Subscriptions", until it says "Verified".`;
	const forHttp = http === undefined ? "" : " with --public-url and the address outside";
	return [
		step(
			...(["token", "Make the app"] as const),
			`On ${appSettings} press "Create New App", "From a manifest", and paste what "parley slack manifest" prints${forHttp}. Then "Install to Workspace", and set SLACK_BOT_TOKEN to the token under "OAuth & Permissions".`,
			["token", "scopes"],
		),
		step("transport", "Let it hear", transport, ["transport", "clock"]),
		step("rooms", "Bring it into a channel", "In a channel type /invite @parley.", ["rooms"]),
		answerStep({
			platform: "slack",
			answered,
			patienceMs,
			clock,
			todo: "In Slack mention the bot in a channel that it is in, or send it a direct message: it answers.",
		}),
	];
}
