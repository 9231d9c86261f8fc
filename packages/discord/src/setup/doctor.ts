import { type Clock, type Logger, ParleyError } from "@parley/base";
import { type CommandShape, checkTexts, commandTable, type Finding } from "@parley/connector";
import { developerPortal } from "../client/refusals.ts";
import { RestAnswers } from "../client/rest-answers.ts";
import {
	type CommandMemory,
	type CommandSync,
	nameOf,
	planCommands,
	restoreCommands,
	type SyncStep,
} from "../commands/command-sync.ts";
import { accountTexts } from "../texts/account.ts";
import { registrationTexts } from "../texts/registration.ts";
import { checkApplication, checkClock, checkGateway, checkToken, readApplication } from "./account-checks.ts";
import type { Discord } from "./check.ts";
import { checkInvited, checkPermissions } from "./guild-checks.ts";

export interface DoctorParts extends Discord {
	readonly shapes: readonly CommandShape[];
	readonly memory: CommandMemory;
	/**
	 * If present, the check of the commands updates them on Discord instead of reporting differences, and logs each
	 * change.
	 */
	readonly fix?: { readonly log: Logger } | undefined;
}

export type Check = (parts: DoctorParts) => Promise<Finding | readonly Finding[]>;

/** Checks in the order in which they run. */
export const checks = {
	token: checkToken,
	application: checkApplication,
	gateway: checkGateway,
	clock: checkClock,
	invited: checkInvited,
	permissions: checkPermissions,
	commands: async ({ port, clock, shapes, memory, fix }) => {
		const { id: application } = await readApplication({ port, clock });
		const sync = { port, application, shapes, memory };
		return fix === undefined ? checkCommands(sync) : fixCommands(sync, { clock, log: fix.log });
	},
} as const satisfies Record<string, Check>;
export type CheckName = keyof typeof checks;

/**
 * Yields the findings of all checks in order, and ends if the check of the token fails. Changes nothing without
 * `fix`. Never rejects: a failed check becomes a finding.
 */
export async function* examineDiscord(parts: DoctorParts): AsyncGenerator<Finding> {
	for (const name of Object.keys(checks).filter(isCheckName)) {
		const findings = await runCheck(name, parts);
		yield* findings;
		if (name === "token" && findings.some(({ status }) => status === "fail")) return;
	}
}

/** Runs one check and resolves with its findings. Never rejects: a failed check becomes a finding. */
export async function runCheck(name: CheckName, parts: DoctorParts): Promise<readonly Finding[]> {
	try {
		const found = await checks[name](parts);
		return Array.isArray(found) ? found : [found];
	} catch (reason) {
		return [failed(`discord-${name}`, ParleyError.from(reason))];
	}
}

function isCheckName(name: string): name is CheckName {
	return Object.hasOwn(checks, name);
}

function failed(id: string, { code, message }: ParleyError): Finding {
	if (code === "unauthenticated") {
		const fix = accountTexts.unknownTokenFix({ portal: developerPortal });
		return { id, status: "fail", what: accountTexts.unknownToken, fix };
	}
	if (code === "resource_exhausted")
		return { id, status: "fail", what: message, fix: accountTexts.limitedFix };
	const fix =
		code === "unavailable"
			? checkTexts.unavailableFix({ host: "discord.com", statusPage: "https://discordstatus.com" })
			: accountTexts.refusedFix({ portal: developerPortal });
	return { id, status: "fail", what: message, fix };
}

/** Opens the checks without a connection to Discord's gateway. Call `close` after the last check. */
export function openChecks(options: {
	readonly token: string;
	/** URL of the API. Default: `https://discord.com/api`. */
	readonly apiUrl?: string | undefined;
	readonly clock: Clock;
}): DoctorParts & { close(): void } {
	const { token, apiUrl, clock } = options;
	const port = new RestAnswers(token, apiUrl);
	// Only the connector records commands, and deletes commands of earlier versions.
	const memory = { load: async () => undefined, save: async () => undefined };
	return { port, clock, memory, shapes: commandTable, close: () => port.close() };
}

const id = "discord-commands";

async function checkCommands(commands: CommandSync): Promise<Finding> {
	const steps = await planCommands(commands);
	if (steps.length === 0) return { id, status: "ok", what: registrationTexts.upToDate };
	const what = registrationTexts.outdated({ commands: listed(steps, registrationTexts.faults) });
	return { id, status: "warn", what, fix: registrationTexts.outdatedFix };
}

async function fixCommands(
	commands: CommandSync,
	{ clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<Finding> {
	const steps = await restoreCommands(commands, { clock, log, patienceMs: 60_000 });
	const { upToDate, corrected, corrections } = registrationTexts;
	const what = steps.length === 0 ? upToDate : corrected({ commands: listed(steps, corrections) });
	return { id, status: "ok", what };
}

function listed(steps: readonly SyncStep[], words: Readonly<Record<SyncStep["action"], string>>): string {
	return steps.map((step) => `${nameOf(step)} (${words[step.action]})`).join(", ");
}
