import { type Clock, defined, type Ids, type Logger } from "@parley/base";
import type { Runtime, Sandboxes } from "@parley/core";
import { type Authenticate, createAuthenticate } from "./auth/authenticate.ts";
import { FailedAuthLimiter } from "./auth/limiter.ts";
import { createLocalPeers } from "./auth/local-peer.ts";
import type { RequestRules } from "./auth/requests.ts";
import { Tickets } from "./auth/tickets.ts";
import type { Config } from "./config/load.ts";
import { type Reach, reachOf } from "./config/reach-facts.ts";
import { type RuntimeFile, writeRuntimeFile } from "./data-directory/runtime-file.ts";
import type { Port } from "./port.ts";
import { Admission } from "./transport/admission.ts";
import { TlsRenewal } from "./transport/tls-renewal.ts";

/** Parts that admit connections and callers: the certificate, the limits, the request rules and the authentication. */
export interface Entrance {
	readonly reach: Reach;
	readonly tls: TlsRenewal | undefined;
	readonly admission: Admission;
	readonly rules: RequestRules;
	readonly authenticate: Authenticate;
	readonly tickets: Tickets;
}

interface EntranceOptions {
	readonly config: Config;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
}

interface EntranceParts {
	readonly sandbox: Sandboxes;
	readonly trust: Runtime["trust"];
}

/** Opens the entrance. Rejects with `failed_precondition` if the certificate or its key cannot be used. */
export async function openEntrance(options: EntranceOptions, parts: EntranceParts): Promise<Entrance> {
	const { config, clock, log } = options;
	const reach = reachOf(config);
	const { proxies } = reach;
	const { allowedHosts, publicUrl } = config;
	const tickets = new Tickets({ ...options, tokens: parts.trust.tokens });
	return {
		reach,
		tickets,
		authenticate: authentication(options, parts, reach, tickets),
		tls: config.tls && (await TlsRenewal.open({ files: config.tls, clock, log })),
		admission: new Admission({}, (peer) => proxies?.has(peer) ?? false),
		rules: { allowedHosts, publicUrl, ...defined({ proxies }) },
	};
}

function authentication(
	{ config, clock, log }: EntranceOptions,
	{ sandbox, trust }: EntranceParts,
	reach: Reach,
	tickets: Tickets,
): Authenticate {
	return createAuthenticate({
		mode: config.auth,
		trustLocal: reach.localTrust,
		tokens: trust.tokens,
		tickets,
		sample: (entry) => trust.audit.sample(entry),
		localPeers: createLocalPeers({ log, tools: sandbox }),
		limiter: new FailedAuthLimiter(clock),
	});
}

/**
 * Publishes the gateway's address and certificate for programs on this machine, now and after each renewal of
 * the certificate.
 */
export async function announce(
	dataDirectory: string,
	{ port, tls }: Entrance & { readonly port: Port },
	about: Omit<RuntimeFile, "local" | "certificate">,
): Promise<void> {
	const write = (): Promise<void> => {
		const local = localAddress(port.urls);
		const certificate = local.startsWith("https:") ? tls?.current.certificate : undefined;
		return writeRuntimeFile(dataDirectory, {
			...about,
			local,
			...defined({ certificate }),
		});
	};
	await write();
	if (tls) tls.onRenewed = write;
}

function localAddress(urls: readonly string[]): string {
	const here = urls.map(reachable);
	return here.find((url) => url.startsWith("http:")) ?? here[0] ?? "";
}

function reachable(text: string): string {
	const url = new URL(text);
	if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
	if (url.hostname === "[::]" || url.hostname === "[::ffff:0:0]") url.hostname = "[::1]";
	return url.origin;
}
