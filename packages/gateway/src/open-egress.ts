import type { Clock, Logger } from "@parley/base";
import { type Audit, byItself, Egress } from "@parley/core";
import type { Config } from "./config/load.ts";

interface EgressParts {
	readonly config: Config;
	readonly clock: Clock;
	readonly log: Logger;
}

/** The way out of sandboxes, or undefined if the operator has named no hosts. */
export function openEgress({ config, clock, log }: EgressParts): Egress | undefined {
	const { egress: allow = [] } = config;
	if (allow.length === 0) return undefined;
	return new Egress({ allow, clock, log });
}

/** Writes into the audit which hosts commands reached, before they do, and that others were refused. */
export function auditEgress(egress: Egress | undefined, audit: Pick<Audit, "note" | "sample">): void {
	if (!egress) return;
	egress.audit = async ({ command, target, decision }) => {
		const row = { ...byItself, action: "egress.connect", object: command };
		if (decision === "allowed") await audit.note({ ...row, decision, args: { host: target } });
		// Hosts that commands invent are only logged, because they could fill the audit.
		if (decision === "refused") audit.sample({ ...row, decision: "denied" });
	};
}
