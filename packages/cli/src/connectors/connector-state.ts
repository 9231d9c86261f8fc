import type { ConnectorStatus } from "@parley/connector";
import type { ConnectorWords } from "./connector-report.ts";

/** What the connectors of all platforms say of themselves. */
export interface PlatformStatus {
	readonly link?:
		| { readonly state: "ready" }
		| { readonly state: "lost" | "refused"; readonly detail: string };
	readonly connector?: ConnectorStatus;
	/** Channels of which it is not read what was missed. */
	readonly behind?: number;
}

/** How a connector is doing, as its report says it. */
export function stateWords({ link, connector, behind = 0 }: PlatformStatus): ConnectorWords {
	const load = connector && {
		waiting: connector.waiting,
		open: connector.open,
		held: connector.stuck.filter(({ state }) => state === "held").length,
	};
	if (link === undefined) return { state: "starting", ...load };
	if (link.state !== "ready") {
		return { state: link.state === "lost" ? "waiting" : "refused", detail: link.detail, ...load };
	}
	if (connector?.gateway.state === "waiting") {
		return { state: "waiting", detail: "the gateway does not answer", ...load };
	}
	if (behind > 0) {
		const where = behind === 1 ? "a channel" : `${behind} channels`;
		return { state: "waiting", detail: `what was missed in ${where} cannot be read yet`, ...load };
	}
	return { state: "connected", ...load };
}
