import { ParleyError } from "@parley/base";
import type { Finding } from "../../tables/finding-rows.ts";
import { doctorTexts } from "../../texts/doctor/shared.ts";
import { type Check, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";
import { chatCheck, clockCheck, connectorsCheck } from "./chat-platforms.ts";
import { auditCheck, databaseCheck, dataCheck, diskCheck, messagesCheck, modesCheck } from "./data.ts";
import {
	bindCheck,
	configCheck,
	gatewayCheck,
	passwordsCheck,
	tlsCheck,
	tokensCheck,
	versionsCheck,
} from "./gateway.ts";
import { llamaCheck, modelCheck, policyCheck, skillsCheck } from "./model.ts";
import { sandboxCheck } from "./sandbox.ts";

/** The usual checks, in the order of the output. */
const checks: readonly Check[] = [
	dataCheck,
	configCheck,
	gatewayCheck,
	versionsCheck,
	bindCheck,
	tlsCheck,
	tokensCheck,
	modesCheck,
	chatCheck,
	connectorsCheck,
	policyCheck,
	skillsCheck,
	sandboxCheck,
	databaseCheck,
	passwordsCheck,
	auditCheck,
	diskCheck,
	clockCheck,
	llamaCheck,
	modelCheck,
];

/** All checks, for `--deep`. The last check reads all stored text. */
export const deepChecks: readonly Check[] = [...checks, messagesCheck];

/**
 * Resolves with the findings of the chosen checks. If a check rejects, its finding is a warning with the reason.
 */
export async function runChecks(system: System, chosen = checks): Promise<Finding[]> {
	const findings = await Promise.all(
		chosen.map(async ({ id, examine }) => {
			try {
				return { id, ...(await examine(system)) };
			} catch (reason) {
				const { message } = ParleyError.from(reason);
				const why = reason instanceof Error ? reason.message : message;
				return {
					id,
					...warn(doctorTexts.notChecked({ reason: why }), doctorTexts.notCheckedFix),
				};
			}
		}),
	);
	return findings.map((finding, index) => unlessReported(finding, findings.slice(0, index)));
}

/**
 * Returns the finding. If an earlier check has reported the same problem, returns an `ok` finding with the id of the
 * earlier check instead.
 */
function unlessReported(finding: Finding, before: readonly Finding[]): Finding {
	const earlier = before.find(({ status, what }) => status !== "ok" && what === finding.what);
	return earlier ? { id: finding.id, ...ok(doctorTexts.sameCause({ id: earlier.id })) } : finding;
}
