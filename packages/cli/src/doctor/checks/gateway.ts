import { isLoopback } from "../../client/gateway-address.ts";
import type { Found } from "../../tables/finding-rows.ts";
import { gatewayCheckTexts, secretCheckTexts, versionCheckTexts } from "../../texts/doctor/gateway.ts";
import { showListener, updateNode } from "../distribution.ts";
import { type Check, configInvalid, fail, failWith, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Checks whether the gateway is running. A stopped gateway is not a problem. */
export const gatewayCheck: Check = {
	id: "gateway",
	async examine({ gateway: running, health, data }) {
		if (!running) return ok(gatewayCheckTexts.stopped({ data }));
		if (running.health === "draining") return warn(gatewayCheckTexts.stopping, gatewayCheckTexts.stoppingFix);
		const storage = health?.storage?.state ?? "ok";
		const runs = gatewayCheckTexts.running({ pid: running.pid, urls: running.urls.join(", ") });
		if (running.health === "ok") return ok(runs);
		// Another check reports an invalid policy.
		if (storage === "ok" && health?.policy?.state === "broken")
			return ok(gatewayCheckTexts.policyInvalid({ runs }));
		return warn(gatewayCheckTexts.degraded({ storage }), gatewayCheckTexts.degradedFix);
	},
};

/** Checks the addresses of the gateway, and the authentication that clients need at these addresses. */
export const bindCheck: Check = {
	id: "bind",
	async examine(system) {
		const { health, config, gateway } = system;
		if (gateway && health) return judge(reachOf(health));
		if (config instanceof Error) return ok(configInvalid);
		const { listen, auth, insecureLan = false, tls } = config;
		const occupied = gateway ? undefined : await findOccupiedPort(system, listen);
		if (occupied) return occupied;
		const urls = listen.map(({ host, port }) => `${tls ? "https" : "http"}://${bracketed(host)}:${port}`);
		return judge({ urls, auth, insecureLan });
	},
};

interface Reach {
	readonly urls: readonly string[];
	readonly auth: string;
	readonly insecureLan: boolean;
}

function reachOf({
	listeners = [],
	auth = "local",
	insecure_lan = false,
}: NonNullable<System["health"]>): Reach {
	return { urls: listeners.map(({ url }) => url), auth, insecureLan: insecure_lan };
}

function judge({ urls, auth, insecureLan }: Reach): Found {
	const places = urls.join(", ");
	const beyond = urls.filter((url) => !isLoopback(url));
	if (auth === "none") {
		return warn(gatewayCheckTexts.withoutToken({ urls: places }), gatewayCheckTexts.withoutTokenFix);
	}
	if (insecureLan && beyond.length > 0) {
		return warn(gatewayCheckTexts.unencrypted({ urls: beyond.join(", ") }), gatewayCheckTexts.unencryptedFix);
	}
	return ok(
		beyond.length === 0
			? gatewayCheckTexts.onlyThisMachine({ urls: places })
			: gatewayCheckTexts.withToken({ urls: places }),
	);
}

/**
 * Resolves with a failure if another program uses a port of the gateway, because the gateway then cannot start.
 * Resolves with undefined if all ports are free.
 */
async function findOccupiedPort(
	{ answers, distribution }: System,
	listen: readonly { readonly host: string; readonly port: number }[],
): Promise<Found | undefined> {
	for (const { host, port } of listen) {
		if (port === 0 || !(await answers(host, port))) continue;
		const what = gatewayCheckTexts.portInUse({ address: `${bracketed(host)}:${port}` });
		return fail(what, gatewayCheckTexts.portInUseFix({ command: showListener(distribution, port) }));
	}
	return undefined;
}

function bracketed(host: string): string {
	return host.includes(":") ? `[${host}]` : host;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Number of days before the expiry of a certificate when the check begins to warn. */
const soonDays = 14;

export const tlsCheck: Check = {
	id: "tls",
	async examine({ config, health, certificateEnd, now }) {
		const file = config instanceof Error ? undefined : config.tls?.cert;
		const reported = health?.certificate?.valid_to;
		if (file === undefined && reported === undefined) return ok(gatewayCheckTexts.noCertificate);
		const end = file === undefined ? Date.parse(reported ?? "") : await certificateEnd(file);
		const days = Math.floor((end - now()) / dayMs);
		const until = new Date(end).toISOString().slice(0, 10);
		if (end <= now())
			return fail(gatewayCheckTexts.certificateExpired({ until }), gatewayCheckTexts.certificateFix);
		if (days < soonDays)
			return warn(gatewayCheckTexts.certificateExpires({ until, days }), gatewayCheckTexts.certificateFix);
		return ok(gatewayCheckTexts.certificateValid({ until }));
	},
};

/** Checks whether the key of the data directory decrypts the stored passwords. */
export const passwordsCheck: Check = {
	id: "passwords",
	async examine({ storedSecrets }) {
		const { stored, opened, keyFile, hasKey } = await storedSecrets();
		if (stored === 0) return ok(secretCheckTexts.noPasswords);
		if (!hasKey)
			return warn(secretCheckTexts.keyMissing({ file: keyFile, passwords: stored }), secretCheckTexts.keyFix);
		const lost = stored - opened;
		if (lost === 0) return ok(secretCheckTexts.keyValid({ passwords: stored }));
		return warn(
			secretCheckTexts.keyInvalid({ file: keyFile, lost, passwords: stored }),
			secretCheckTexts.keyFix,
		);
	},
};

const soonMs = 7 * 24 * 60 * 60 * 1000;

export const tokensCheck: Check = {
	id: "tokens",
	async examine({ operatorToken, gateway, tokens: list, now }) {
		try {
			if (!(await operatorToken())) return ok(secretCheckTexts.noToken);
		} catch (reason) {
			return failWith(reason, secretCheckTexts.tokenFix);
		}
		if (!gateway) return ok(secretCheckTexts.tokenPrivate);
		const active = (await list()).filter(({ kind, status }) => kind !== "operator" && status === "active");
		const ending = active.filter(
			({ expires_at: end }) => end !== undefined && Date.parse(end) - now() < soonMs,
		);
		if (ending.length > 0) {
			const names = ending
				.map(({ name, expires_at }) =>
					secretCheckTexts.tokenUntil({ name, day: expires_at?.slice(0, 10) ?? "" }),
				)
				.join(", ");
			return warn(secretCheckTexts.tokensExpire({ names }), secretCheckTexts.tokensExpireFix);
		}
		return ok(secretCheckTexts.tokens({ others: active.length }));
	},
};

/** Minimum version of Node, as in the package.json of this package. */
const leastNode = [24, 11] as const;

export const versionsCheck: Check = {
	id: "versions",
	async examine({ versions: { parley, node, sqlite }, gateway, distribution }) {
		const [major = 0, minor = 0] = node.split(".").map(Number);
		if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1])) {
			return fail(versionCheckTexts.oldNode({ node, least: leastNode.join(".") }), updateNode(distribution));
		}
		if (gateway && gateway.version !== parley) {
			const what = versionCheckTexts.otherVersion({ gateway: gateway.version, command: parley });
			return warn(what, versionCheckTexts.otherVersionFix);
		}
		return ok(versionCheckTexts.versions({ parley, node, sqlite }));
	},
};

export const configCheck: Check = {
	id: "config",
	examine: async ({ config: read }) =>
		read instanceof Error
			? fail(read.message, versionCheckTexts.configFix)
			: ok(versionCheckTexts.configValid),
};
