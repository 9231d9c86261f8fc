import { answerStep, type Finding, type SetupStep } from "@parley/connector";
import { setupTexts } from "../texts/setup.ts";
import { appSettings } from "./call-slack.ts";
import { type CheckName, runCheck, type SlackChecks } from "./checks.ts";

export interface SetupParts extends SlackChecks {
	/** Resolves when the running connector has answered a person for the first time. */
	readonly answered: (signal: AbortSignal) => Promise<void>;
	/** Maximum milliseconds to wait for `answered`. */
	readonly patienceMs: number;
}

type StepId = Exclude<keyof typeof setupTexts, "answer">;

/** Returns all steps until the bot answers, in order. The last step requires a running connector. */
export function setupSteps(parts: SetupParts): readonly SetupStep[] {
	const { answered, patienceMs, clock, http } = parts;
	const step = (id: StepId, names: readonly CheckName[]): SetupStep => ({
		id,
		title: setupTexts[id].title,
		todo: setupTexts[id].todo({ settings: appSettings, http: http !== undefined }),
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
	return [
		step("token", ["token", "scopes"]),
		step("transport", ["transport", "clock"]),
		step("rooms", ["rooms"]),
		answerStep({ platform: "slack", todo: setupTexts.answer.todo, answered, patienceMs, clock }),
	];
}
