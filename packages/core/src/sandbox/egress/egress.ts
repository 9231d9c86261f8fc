import { Server } from "node:net";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { type Lookup, publicReach, type Reach, systemLookup } from "../../tools/web/reach.ts";
import { EgressProxy } from "./egress-proxy.ts";
import { readAllowedHost } from "./host-name.ts";
import { type Connect, connectOverTcp, type EgressEntry } from "./tunnel.ts";
import { type EgressWrapping, egressWrapping } from "./wrapping.ts";

/** Refusals that a command's output shows. */
const MAX_SHOWN = 10;

export interface EgressOptions {
	/** Names of hosts, each alone or as `*.` and all that is below it. */
	readonly allow: readonly string[];
	readonly clock: Clock;
	readonly log: Logger;
	/** The public internet, the system's resolver and TCP unless told. */
	readonly reach?: Reach;
	readonly lookup?: Lookup;
	readonly connect?: Connect;
}

/** Learns every decision; an allowed connection waits for it, and is not made where it rejects. */
export type EgressAudit = (entry: EgressEntry) => Promise<void>;

/** The way out of one command, until it is disposed. */
export interface Passage extends EgressWrapping, AsyncDisposable {
	/** What was refused, for the end of the command's output; empty where nothing was. */
	note(): string;
	/** Serves the connections to a socket that a program in the sandbox listens at, a `net.Server`. */
	serve(listener: unknown): void;
}

/** The only way out of sandboxes: to TLS on hosts of the public internet that the operator has named. */
export class Egress {
	/** Hosts that commands may reach, as they are compared. */
	readonly hosts: readonly string[];
	/** Where decisions are told besides the log. */
	audit: EgressAudit = async () => undefined;
	readonly #options: EgressOptions;

	/** Throws `invalid_argument` for an entry that is no name of a host. */
	constructor(options: EgressOptions) {
		this.#options = options;
		this.hosts = options.allow.map((entry) => {
			const host = readAllowedHost(entry);
			if (host !== undefined) return host;
			const message = `${JSON.stringify(entry)} is no host that commands can be let reach; write example.com or *.example.com`;
			throw new ParleyError(message, { code: "invalid_argument" });
		});
	}

	/** Opens a way out for one command; `command` is what logs call it. */
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
