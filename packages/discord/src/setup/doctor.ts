import { type Logger, ParleyError } from "@parley/base";
import type { CommandShape } from "@parley/connector";
import { developerPortal } from "../client/refusals.ts";
import type { CommandMemory } from "../commands/command-memory.ts";
import { checkApplication, checkClock, checkGateway, checkToken, readApplication } from "./account-checks.ts";
import type { Discord } from "./ask-discord.ts";
import { checkCommands, fixCommands } from "./command-check.ts";
import type { Finding } from "./finding.ts";
import { checkInvited, checkPermissions } from "./guild-checks.ts";

/** What the checks look at. */
export interface DoctorParts extends Discord {
	readonly shapes: readonly CommandShape[];
	readonly memory: CommandMemory;
	/** Restores missing and overwritten commands instead of reporting them; logs each change. */
	readonly fix?: { readonly log: Logger } | undefined;
}

export type Check = (parts: DoctorParts) => Promise<Finding | readonly Finding[]>;

/** In the order in which they make sense: without the first no other can succeed. */
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

/** Runs all checks, and changes nothing without `fix`. Never rejects: a check that fails is a finding. */
export async function* examineDiscord(parts: DoctorParts): AsyncGenerator<Finding> {
	for (const name of Object.keys(checks).filter(isCheckName)) {
		const findings = await runCheck(name, parts);
		yield* findings;
		if (name === "token" && findings.some(({ status }) => status === "fail")) return;
	}
}

/** What one check finds; a check that fails is a finding, too. */
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
		const fix = `press "Reset Token" under "Bot" on ${developerPortal}, and set DISCORD_TOKEN to the new one`;
		return { id, status: "fail", what: "Discord does not know this token", fix };
	}
	const fix =
		code === "unavailable"
			? "look whether this machine reaches discord.com, and https://discordstatus.com; then try again"
			: `look at the application on ${developerPortal}, and try again`;
	return { id, status: "fail", what: message, fix };
}
