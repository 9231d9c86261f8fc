import { Server } from "node:net";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { type Connect, connectOverTcp, type EgressEntry, EgressProxy } from "./egress-proxy.ts";
import { readAllowedHost } from "./host-name.ts";
import { type Lookup, publicReach, type Reach, systemLookup } from "./reach.ts";
import { egressTexts } from "./texts.ts";

/** Maximum refusals shown in the output of a command. */
const MAX_SHOWN = 10;

export interface EgressOptions {
	/** Host names: `example.com`, or `*.example.com` for all names below it. */
	readonly allow: readonly string[];
	readonly clock: Clock;
	readonly log: Logger;
	/** Address range, resolver and connection of the proxy. Default: the public internet, the system's resolver, and TCP. */
	readonly reach?: Reach;
	readonly lookup?: Lookup;
	readonly connect?: Connect;
}

/** Records one decision. The proxy opens an allowed connection only after the promise resolves. */
export type EgressAudit = (entry: EgressEntry) => Promise<void>;

/** Proxy for one command. The proxy accepts connections until it is disposed. */
export interface CommandProxy extends EgressWrapping, AsyncDisposable {
	/**
	 * Returns a note about refused connections, to append to the command's output. Returns "" if no connection was
	 * refused.
	 */
	note(): string;
	/** Serves the connections to `listener`, a `net.Server` that a program in the sandbox opened. */
	serve(listener: unknown): void;
}

/**
 * Network access for sandboxed commands: port 443 of allowed hosts. Each host must be on the public internet by
 * default.
 */
export class Egress {
	/** Allowed hosts, in normal form (see `readAllowedHost`). */
	readonly hosts: readonly string[];
	/** Receives each decision. The decision is also logged. */
	audit: EgressAudit = async () => undefined;
	readonly #options: EgressOptions;

	/**
	 * Creates access to the hosts in `options.allow`. Throws `invalid_argument` if an entry is neither a host name, nor
	 * `*.` and a host name.
	 */
	constructor(options: EgressOptions) {
		this.#options = options;
		this.hosts = options.allow.map((entry) => {
			const host = readAllowedHost(entry);
			if (host !== undefined) return host;
			const message = egressTexts.invalidHost(entry);
			throw new ParleyError(message, { code: "invalid_argument" });
		});
	}

	/**
	 * Returns an `Egress` for the hosts in `allow` instead. The new object uses the options and the audit of this
	 * object. Throws as the constructor does.
	 */
	to(allow: readonly string[]): Egress {
		const other = new Egress({ ...this.#options, allow });
		other.audit = (entry) => this.audit(entry);
		return other;
	}

	/** Opens the proxy for one command. `command` is the name of the command in logs. */
	open(command: string): CommandProxy {
		const refusals = new Set<string>();
		const proxy = new EgressProxy({
			allowed: this.hosts,
			clock: this.#options.clock,
			reach: this.#options.reach ?? publicReach,
			lookup: this.#options.lookup ?? systemLookup,
			connect: this.#options.connect ?? connectOverTcp,
			report: async (entry) => {
				if (entry.decision === "refused" && refusals.size < MAX_SHOWN) {
					refusals.add(`${entry.target || "a connection"}: ${entry.reason}`);
				}
				await this.#report({ command, ...entry });
			},
		});
		return {
			...egressWrapping,
			serve: (listener) => {
				if (listener instanceof Server) proxy.serve(listener);
			},
			note: () => this.#note([...refusals]),
			[Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
		};
	}

	async #report(entry: EgressEntry): Promise<void> {
		const { log } = this.#options;
		log.info(`egress ${entry.decision}`, { ...entry });
		try {
			await this.audit(entry);
		} catch (error) {
			log.error(egressTexts.notAudited, { ...entry, error });
			if (entry.decision === "allowed") throw error;
		}
	}

	#note(refusals: readonly string[]): string {
		if (refusals.length === 0) return "";
		const hosts = egressTexts.reachable(this.hosts);
		return egressTexts.refused(refusals, hosts);
	}
}

/** Mounts, arguments and variables that let a sandboxed command reach the proxy. */
interface EgressWrapping {
	/** Mounts as bubblewrap options with their values. The caller must add them after the mounts of /dev. */
	readonly mounts: readonly (readonly string[])[];
	/**
	 * Returns the arguments that precede the command's own arguments and start the command. `channel` is the descriptor
	 * of Node's IPC channel to the gateway, and must be below 10. The command does not inherit `channel`.
	 */
	argv(channel: number): readonly string[];
	readonly environment: Readonly<Record<string, string>>;
}

/** Path of Node inside the sandbox, outside the system directories and all roots. */
const NODE = "/dev/parley/node";
/** Port of the proxy inside the sandbox. Any port is free in a new network namespace. */
const PORT = 3128;

/**
 * Program that listens in the network of the sandbox and sends the listening socket to the gateway. The gateway then
 * accepts the connections.
 */
const LISTENER = `
const { writeSync } = require("node:fs");
const server = require("node:net").createServer();
server.listen({ host: "127.0.0.1", port: ${PORT}, backlog: 511 }, () => {
	process.send("listening", server, (error) => {
		writeSync(1, error ? error.message : "ready");
		process.disconnect();
		server.close();
	});
});
`;

/**
 * Script that runs `LISTENER` and then the command. The listener gets no variable except `NODE_CHANNEL_FD`, because the
 * command's environment may contain secrets.
 */
const PRELUDE = `
said=$(/usr/bin/env -i NODE_CHANNEL_FD="$1" "$2" -e "$3" 2>&1)
if [ "$said" != ready ]; then
	echo "the connection to the egress proxy could not be opened, so the command did not run: $said" >&2
	exit 125
fi
eval "exec $1>&-"
shift 3
exec "$@"
`;

const PROXY = `http://127.0.0.1:${PORT}`;
const OWN = "localhost,127.0.0.1,::1";

/**
 * Variables that make curl, git, npm, pip, cargo, Go and Node use the proxy. With `HTTP_PROXY`, programs also send
 * plain HTTP requests to the proxy. The proxy refuses plain HTTP with a reason.
 */
const environment = {
	HTTPS_PROXY: PROXY,
	https_proxy: PROXY,
	HTTP_PROXY: PROXY,
	http_proxy: PROXY,
	ALL_PROXY: PROXY,
	all_proxy: PROXY,
	NO_PROXY: OWN,
	no_proxy: OWN,
	npm_config_proxy: PROXY,
	npm_config_https_proxy: PROXY,
	NODE_USE_ENV_PROXY: "1",
	// A repository may configure another proxy, but a command can reach only this proxy.
	GIT_CONFIG_COUNT: "1",
	GIT_CONFIG_KEY_0: "http.proxy",
	GIT_CONFIG_VALUE_0: PROXY,
};

const egressWrapping: EgressWrapping = {
	mounts: [["--ro-bind", process.execPath, NODE]],
	argv: (channel) => ["/bin/sh", "-c", PRELUDE, "parley", String(channel), NODE, LISTENER],
	environment,
};
