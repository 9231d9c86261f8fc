import { answerStep, type Finding, type SetupStep } from "@parley/connector";
import { developerPortal } from "../client/refusals.ts";
import { setupTexts } from "../texts/setup.ts";
import { type CheckName, type DoctorParts, runCheck } from "./doctor.ts";

export interface SetupParts extends DoctorParts {
	/** Resolves when the running connector has answered a person for the first time. */
	readonly answered: (signal: AbortSignal) => Promise<void>;
	/** Maximum wait for `answered`, in milliseconds. */
	readonly patienceMs: number;
}

const checksOfSteps = {
	token: ["token"],
	application: ["application"],
	gateway: ["gateway", "clock"],
	invited: ["invited"],
	permissions: ["permissions"],
	commands: ["commands"],
} as const satisfies Readonly<Record<string, readonly CheckName[]>>;

/** Returns all steps of the setup in order. The last step requires a running connector. */
export function setupSteps(parts: SetupParts): readonly SetupStep[] {
	const { answered, patienceMs, clock } = parts;
	const step = (id: keyof typeof checksOfSteps): SetupStep => ({
		id,
		title: setupTexts[id].title,
		todo: setupTexts[id].todo({ portal: developerPortal }),
		async check() {
			const findings: Finding[] = [];
			for (const name of checksOfSteps[id]) findings.push(...(await runCheck(name, parts)));
			return findings;
		},
	});
	return [
		...(["token", "application", "gateway", "invited", "permissions", "commands"] as const).map(step),
		answerStep({ platform: "discord", todo: setupTexts.answer.todo, answered, patienceMs, clock }),
	];
}
