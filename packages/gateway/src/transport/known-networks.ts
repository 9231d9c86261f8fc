import type { BlockList } from "node:net";

/** Constant networks, which are created at their first use, because not every start needs them. */
export class KnownNetworks {
	readonly #fill: (list: BlockList) => void;
	#list: BlockList | undefined;

	constructor(fill: (list: BlockList) => void) {
		this.#fill = fill;
	}

	/** Whether one of the networks contains the IP address. An IPv4 address may be written as IPv6. */
	has(address: string, family: "ipv4" | "ipv6"): boolean {
		this.#list ??= this.#make();
		return this.#list.check(address, family);
	}

	#make(): BlockList {
		// A static import would load the module for every importer.
		const { BlockList } = process.getBuiltinModule("node:net");
		const list = new BlockList();
		this.#fill(list);
		return list;
	}
}
