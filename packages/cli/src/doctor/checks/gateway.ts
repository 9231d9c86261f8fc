import { isLoopback } from "../../client/gateway-address.ts";
import type { Found } from "../../tables/finding-rows.ts";
import { showListener, updateNode } from "../distribution.ts";
import { type Check, configInvalid, fail, ok, warn } from "../finding.ts";
import type { System } from "../system.ts";

/** Reports the gateway. A stopped gateway is not a problem. */
export const gateway: Check = {
	id: "gateway",
	async examine({ gateway: running, health, data }) {
		if (!running) return ok(`no gateway runs on ${data}`);
		if (running.health === "draining")
			return warn("the gateway is stopping", "wait, then run `parley start`");
		const storage = health?.storage?.state ?? "ok";
		const runs = `runs as process ${running.pid}: ${running.urls.join(", ")}`;
		if (running.health === "ok") return ok(runs);
		// Another check reports the policy.
		if (storage === "ok" && health?.policy?.state === "broken") return ok(`${runs}; its policy is invalid`);
		const why = storage === "ok" ? "" : `: its storage is ${storage}`;
		return warn(`runs, but is degraded${why}`, "`parley status` shows the problem");
	},
};

const tlsOrProxy =
	"use a certificate (--tls-cert, --tls-key), or a proxy with one (--trusted-proxy, --public-url)";

/** Addresses of the gateway, and the authentication that clients there need. */
export const bind: Check = {
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
		return warn(
			`${places}: all users of this machine have access without a token`,
			"remove --auth none, or set auth to local",
		);
	}
	if (insecureLan && beyond.length > 0) {
		return warn(`${beyond.join(", ")}: messages and the token are sent unencrypted`, tlsOrProxy);
	}
	return ok(beyond.length === 0 ? `${places}: only from this machine` : `${places}: with a token`);
}

/** A port in use by another program prevents the start of the gateway. */
async function findOccupiedPort(
	{ answers, distribution }: System,
	listen: readonly { readonly host: string; readonly port: number }[],
): Promise<Found | undefined> {
	for (const { host, port } of listen) {
		if (port === 0 || !(await answers(host, port))) continue;
		const what = `another program listens at ${bracketed(host)}:${port}`;
		return fail(what, `${showListener(distribution, port)} shows the program; --listen sets another port`);
	}
	return undefined;
}

function bracketed(host: string): string {
	return host.includes(":") ? `[${host}]` : host;
}

const dayMs = 24 * 60 * 60 * 1000;
/** Days before the end at which a certificate without automatic renewal should be renewed. */
const soonDays = 14;

const renew = "replace the file: a gateway reads it at SIGHUP and at its next start";

export const tls: Check = {
	id: "tls",
	async examine({ config, health, certificateEnd, now }) {
		const file = config instanceof Error ? undefined : config.tls?.cert;
		const reported = health?.certificate?.valid_to;
		if (file === undefined && reported === undefined) return ok("no certificate is configured");
		const end = file === undefined ? Date.parse(reported ?? "") : await certificateEnd(file);
		const days = Math.floor((end - now()) / dayMs);
		const until = new Date(end).toISOString().slice(0, 10);
		if (end <= now()) return fail(`the certificate expired on ${until}`, renew);
		if (days < soonDays) return warn(`the certificate expires on ${until}, in ${days} days`, renew);
		return ok(`the certificate is valid until ${until}`);
	},
};

const fix = "restore the key from a backup, or enter the passwords again when a tool asks for them";

/** Checks whether the key of the data directory decrypts the stored passwords. */
export const passwords: Check = {
	id: "passwords",
	async examine({ storedSecrets }) {
		const { stored, opened, keyFile, hasKey } = await storedSecrets();
		if (stored === 0) return ok("no stored passwords");
		if (!hasKey)
			return warn(`the key ${keyFile} is missing: it is needed for stored passwords (${stored})`, fix);
		const lost = stored - opened;
		if (lost === 0) return ok(`the key decrypts all stored passwords (${stored})`);
		return warn(`the key ${keyFile} does not decrypt ${lost} of ${stored} stored passwords`, fix);
	},
};

const soonMs = 7 * 24 * 60 * 60 * 1000;

export const tokens: Check = {
	id: "tokens",
	async examine({ operatorToken, gateway, tokens: list, now }) {
		try {
			if (!(await operatorToken())) return ok("none yet: the first start creates the operator token");
		} catch (reason) {
			const message = reason instanceof Error ? reason.message : String(reason);
			const [what = message, fix = "delete it: the next start creates another one"] =
				message.split("; run: ");
			return fail(what, fix);
		}
		if (!gateway) return ok("only this user can read the operator token");
		const active = (await list()).filter(({ kind, status }) => kind !== "operator" && status === "active");
		const ending = active.filter(
			({ expires_at: end }) => end !== undefined && Date.parse(end) - now() < soonMs,
		);
		if (ending.length > 0) {
			const names = ending.map(({ name, expires_at }) => `${name} (${expires_at?.slice(0, 10)})`).join(", ");
			return warn(
				`these tokens expire within a week: ${names}`,
				"replace them with `parley token rotate ID`",
			);
		}
		return ok(`the operator token is private; other active tokens: ${active.length}`);
	},
};

/** Same version as in package.json. */
const leastNode = [24, 11] as const;

export const versions: Check = {
	id: "versions",
	async examine({ versions: { parley, node, sqlite }, gateway, distribution }) {
		const [major = 0, minor = 0] = node.split(".").map(Number);
		if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1])) {
			const needed = `Node ${leastNode.join(".")} or later`;
			return fail(`Node ${node} is too old: ${needed} is required`, updateNode(distribution));
		}
		if (gateway && gateway.version !== parley) {
			const what = `the gateway runs version ${gateway.version}, this command is ${parley}`;
			return warn(what, "parley stop && parley start");
		}
		return ok(`Parley ${parley}, Node ${node}, SQLite ${sqlite}`);
	},
};

export const config: Check = {
	id: "config",
	examine: async ({ config: read }) =>
		read instanceof Error
			? fail(read.message, "change this setting; flags and variables override the file")
			: ok("the configuration is valid"),
};
