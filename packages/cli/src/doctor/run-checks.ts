import { ParleyError } from "@parley/base";
import { audit } from "./checks/audit.ts";
import { bind } from "./checks/bind.ts";
import { chat } from "./checks/chat.ts";
import { clock } from "./checks/clock.ts";
import { config } from "./checks/config.ts";
import { connectors } from "./checks/connectors.ts";
import { data } from "./checks/data.ts";
import { database } from "./checks/database.ts";
import { disk } from "./checks/disk.ts";
import { gateway } from "./checks/gateway.ts";
import { llama } from "./checks/llama.ts";
import { messages } from "./checks/messages.ts";
import { model } from "./checks/model.ts";
import { modes } from "./checks/modes.ts";
import { passwords } from "./checks/passwords.ts";
import { policy } from "./checks/policy.ts";
import { sandbox } from "./checks/sandbox.ts";
import { skills } from "./checks/skills.ts";
import { tls } from "./checks/tls.ts";
import { tokens } from "./checks/tokens.ts";
import { versions } from "./checks/versions.ts";
import { type Check, type Finding, ok, warn } from "./finding.ts";
import type { System } from "./system.ts";

/** In the order in which they are shown. */
const checks: readonly Check[] = [
	...[data, config, gateway, versions, bind, tls, tokens, modes, chat, connectors],
	...[policy, skills, sandbox, database, passwords, audit, disk, clock, llama, model],
];

/** Also reads all that is stored. */
export const deepChecks: readonly Check[] = [...checks, messages];

/** What all checks find, together; none keeps the others from their turn. */
export async function runChecks(system: System, chosen = checks): Promise<Finding[]> {
	const findings = await Promise.all(
		chosen.map(async ({ id, look }) => {
			try {
				return { id, ...(await look(system)) };
			} catch (reason) {
				const { message } = ParleyError.from(reason);
				const why = reason instanceof Error ? reason.message : message;
				return { id, ...warn(`could not be checked: ${why}`, "mend that, and run parley doctor again") };
			}
		}),
	);
	return findings.map((finding, index) => unlessTold(finding, findings.slice(0, index)));
}

/** What keeps several checks from being passed is told and counted once. */
function unlessTold(finding: Finding, before: readonly Finding[]): Finding {
	const told = before.find(({ status, what }) => status !== "ok" && what === finding.what);
	return told ? { id: finding.id, ...ok(`not known as long as it is as ${told.id} says`) } : finding;
}
