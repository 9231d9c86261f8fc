import { Server } from "node:net";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { EgressProxy } from "./egress-proxy.ts";
import { readAllowedHost } from "./host-name.ts";
import { type Lookup, publicReach, type Reach, systemLookup } from "./reach.ts";
import { type Connect, connectOverTcp, type EgressEntry } from "./tunnel.ts";
import { type EgressWrapping, egressWrapping } from "./wrapping.ts";

/** Maximum of refusals in the output of a command. */
const MAX_SHOWN = 10;

export interface EgressOptions {
	/** Host names: `example.com`, or `*.example.com` for all names below it. */
	readonly allow: readonly string[];
	readonly clock: Clock;
	readonly log: Logger;
	/** By default the public internet, the resolver of the system, and TCP. */
	readonly reach?: Reach;
	readonly lookup?: Lookup;
	readonly connect?: Connect;
}

/** Records every decision. An allowed connection is made after this resolves, and is not made if it rejects. */
export type EgressAudit = (entry: EgressEntry) => Promise<void>;

/** The proxy of one command, until it is disposed. */
export interface Passage extends EgressWrapping, AsyncDisposable {
	/** Note about the refusals, for the end of the command's output. Empty without refusals. */
	note(): string;
	/** Serves the connections to `listener`, a `net.Server` that a program in the sandbox opened. */
	serve(listener: unknown): void;
}

/** The only network access of sandboxed commands: TLS to hosts of the public internet that the operator listed. */
export class Egress {
	/** Allowed hosts in the form of `readAllowedHost`. */
	readonly hosts: readonly string[];
	/** Receives the decisions in addition to the log. */
	audit: EgressAudit = async () => undefined;
	readonly #options: EgressOptions;

	/** Throws `invalid_argument` if an entry is not a host name. */
	constructor(options: EgressOptions) {
		this.#options = options;
		this.hosts = options.allow.map((entry) => {
			const host = readAllowedHost(entry);
			if (host !== undefined) return host;
			const message = `${JSON.stringify(entry)} is no host that commands can be let reach; write example.com or *.example.com`;
			throw new ParleyError(message, { code: "invalid_argument" });
		});
	}

	/** Opens the proxy of one command. `command` is its name in logs. */
	open(command: string): Passage {
		const refusals = new Set<string>();
		const proxy = new EgressProxy({
			allowed: this.hosts,
			clock: this.#options.clock,
			reach: this.#options.reach ?? publicReach,
			lookup: this.#options.lookup ?? systemLookup,
			connect: this.#options.connect ?? connectOverTcp,
			tell: async (told) => {
				if (told.decision === "refused" && refusals.size < MAX_SHOWN) {
					refusals.add(`${told.target || "a connection"}: ${told.reason}`);
				}
				await this.#tell({ command, ...told });
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

	async #tell(entry: EgressEntry): Promise<void> {
		const { log } = this.#options;
		log.info(`egress ${entry.decision}`, { ...entry });
		try {
			await this.audit(entry);
		} catch (error) {
			log.error("an egress decision could not be written into the audit", { ...entry, error });
			if (entry.decision === "allowed") throw error;
		}
	}

	#note(refusals: readonly string[]): string {
		if (refusals.length === 0) return "";
		const hosts = `commands reach only port 443 of ${this.hosts.join(", ")}`;
		return `\n[the egress proxy refused ${refusals.join("; ")}. Here ${hosts}]\n`;
	}
}
