import { connectorFix, connectorWords } from "../../connectors/connector-report.ts";
import { chatCheckTexts, clockCheckTexts } from "../../texts/doctor/chat.ts";
import { setClock } from "../distribution.ts";
import { type Check, configInvalid, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

export const connectorsCheck: Check = {
	id: "connectors",
	async examine({ connectors: read, now }) {
		const statuses = await read();
		if (statuses.length === 0) return ok(chatCheckTexts.noConnector);
		const findings = statuses.map((one) => ({
			state: one.state,
			what: `${one.platform} ${connectorWords(one, now())}`,
			fix: connectorFix(one),
		}));
		const worst =
			findings.find(({ state }) => state === "refused") ?? findings.find(({ fix }) => fix !== undefined);
		if (worst?.fix === undefined) return ok(findings.map(({ what }) => what).join("; "));
		return worst.state === "refused" ? fail(worst.what, worst.fix) : warn(worst.what, worst.fix);
	},
};

export const chatCheck: Check = {
	id: "chat",
	async examine(system) {
		const { config } = system;
		if (config instanceof Error) return ok(configInvalid);
		const { allow = [], tenants = {}, places = {} } = config.chat ?? {};
		const known = new Set(
			Object.entries(tenants).flatMap(([platform, ids]) => ids.map((id) => `${platform}:${id}`)),
		);
		const named = allow.flatMap(({ platform, tenant }) =>
			platform && tenant ? [`${platform}:${tenant}`] : [],
		);
		const lost = [...named, ...Object.keys(places).map(tenantOf)].find((one) => !known.has(one));
		if (lost !== undefined && (await connectorsOf(system)) === 0) {
			return warn(chatCheckTexts.unservedTenant({ tenant: lost }), chatCheckTexts.unservedTenantFix);
		}
		return ok(
			known.size === 0 && named.length === 0
				? chatCheckTexts.noAccess
				: chatCheckTexts.tenants({ count: known.size }),
		);
	},
};

function tenantOf(place: string): string {
	return place.split(":").slice(0, 2).join(":");
}

/** Resolves with the number of active connector tokens, or 0 if no gateway is running. */
async function connectorsOf({ gateway, tokens }: System): Promise<number> {
	if (!gateway) return 0;
	return (await tokens()).filter(({ kind, status }) => kind === "connector" && status === "active").length;
}

/**
 * Limits of the clock difference. Above `farMs`, certificates and tokens may be invalid, so the check fails.
 * Above `nearMs`, the check warns.
 */
const [farMs, nearMs] = [5 * 60_000, 30_000];
/** Tolerance for file systems that store times in units of one or two seconds. */
const fileMs = 3_000;

/**
 * Compares the machine's clock with the file system's clock, and with the provider's clock if the provider reports its
 * time.
 */
export const clockCheck: Check = {
	id: "clock",
	async examine(system) {
		const { provider, distribution } = system;
		const file = await differenceToFile(system);
		if (Math.abs(file) > fileMs) {
			return warn(
				clockCheckTexts.otherFileClock({ difference: inSeconds(file) }),
				clockCheckTexts.otherFileClockFix,
			);
		}
		const answer = await provider();
		if (!answer?.reached || answer.serverTime === undefined) return ok(clockCheckTexts.sameFileClock);
		const { serverTime, ownTime, durationMs } = answer;
		const apart = ownTime - serverTime;
		// Headers have a resolution of one second, and the response took time to arrive.
		const minDifferenceMs = Math.max(0, Math.abs(apart) - durationMs - 1_000);
		const what = clockCheckTexts.otherClock({ difference: inSeconds(apart), host: new URL(answer.url).host });
		if (minDifferenceMs > farMs) return fail(what, setClock(distribution));
		if (minDifferenceMs > nearMs) return warn(what, setClock(distribution));
		return ok(clockCheckTexts.sameClock({ host: new URL(answer.url).host }));
	},
};

/**
 * Resolves with the milliseconds by which the file system's clock is ahead of this machine's clock. Resolves with
 * 0 if the data directory is missing or not writable, which other checks report.
 */
async function differenceToFile({ data, stat, writeProbe, now }: System): Promise<number> {
	if (!(await stat(data))) return 0;
	const before = now();
	const written = await writeProbe(data).catch(() => before);
	return written - Math.min(Math.max(written, before), now());
}

function inSeconds(apartMs: number): string {
	return clockCheckTexts.difference({ seconds: Math.round(Math.abs(apartMs) / 1000), isBehind: apartMs < 0 });
}
