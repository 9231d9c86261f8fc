import type { Clock, Logger } from "@parley/base";
import { type Audit, byItself, Egress } from "@parley/core";
import type { Config } from "./config/load.ts";

interface EgressParts {
	readonly config: Config;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Creates the network access of sandboxes to the hosts that the operator allows. Even without allowed hosts, each MCP
 * server can reach its own hosts.
 */
export function openEgress({ config, clock, log }: EgressParts): Egress {
	const { egress: allow = [] } = config;
	return new Egress({ allow, clock, log });
}

interface EgressAudit {
	readonly note: Audit["note"];
	readonly sample: Audit["sample"];
}

/** Records allowed connections in the audit log before they open, and samples of refused connections. */
export function auditEgress(egress: Egress, audit: EgressAudit): void {
	egress.audit = async ({ command, target, decision }) => {
		const row = { ...byItself, action: "egress.connect", object: command };
		if (decision === "allowed") await audit.note({ ...row, decision, args: { host: target } });
		// The audit row has no host, because commands could fill the audit with invented hosts.
		if (decision === "refused") audit.sample({ ...row, decision: "denied" });
	};
}
