import { ParleyError } from "@parley/base";
import type { Finding } from "../../tables/finding-rows.ts";
import { doctorTexts } from "../../texts/doctor/shared.ts";
import { type Check, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";
import { chat, clock, connectors } from "./chat-platforms.ts";
import { audit, data, database, disk, messages, modes } from "./data.ts";
import { bind, config, gateway, passwords, tls, tokens, versions } from "./gateway.ts";
import { llama, model, policy, skills } from "./model.ts";
import { sandbox } from "./sandbox.ts";

/** The usual checks, in the order of the output. */
const checks: readonly Check[] = [
	data,
	config,
	gateway,
	versions,
	bind,
	tls,
	tokens,
	modes,
	chat,
	connectors,
	policy,
	skills,
	sandbox,
	database,
	passwords,
	audit,
	disk,
	clock,
	llama,
	model,
];

/** All checks, for `--deep`. The last check reads all stored text. */
export const deepChecks: readonly Check[] = [...checks, messages];

/** Findings of the chosen checks. A check that fails does not stop the others. */
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

/** Replaces a finding whose cause an earlier check has already reported. */
function unlessReported(finding: Finding, before: readonly Finding[]): Finding {
	const earlier = before.find(({ status, what }) => status !== "ok" && what === finding.what);
	return earlier ? { id: finding.id, ...ok(doctorTexts.sameCause({ id: earlier.id })) } : finding;
}
