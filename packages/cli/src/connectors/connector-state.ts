import type { RunStatus } from "@parley/connector";
import type { ConnectorWords } from "./connector-report.ts";

/** How a connector is doing, as its report says it. */
export function stateWords({ link, connector, behind }: RunStatus): ConnectorWords {
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
