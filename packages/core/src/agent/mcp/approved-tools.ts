import type { Clock, Store } from "@parley/base";
import { stamp, type Tables } from "../../store/tables.ts";

/** Tool of a server, with the hash of its current description. */
export interface CalledTool {
	/** Name of the tool in policy rules. */
	readonly name: string;
	/** Working directory with the `.mcp.json` that names the server, or "" for a server that the operator configured. */
	readonly directory: string;
	readonly hash: string;
}

/** Persistent storage for the last approved description of each tool. A person or a rule approves a description. */
export interface ApprovedTools {
	/**
	 * Whether the last approved description of the tool differs from the current description. False if no description was
	 * approved.
	 */
	hasChanged(tool: CalledTool): Promise<boolean>;
	/** Stores the current description as approved. Called before a call runs. */
	record(tool: CalledTool): Promise<void>;
}

export class StoredApprovedTools implements ApprovedTools {
	readonly #store: Store<Tables>;
	readonly #clock: Clock;

	constructor({ store, clock }: { readonly store: Store<Tables>; readonly clock: Clock }) {
		this.#store = store;
		this.#clock = clock;
	}

	async hasChanged(tool: CalledTool): Promise<boolean> {
		const before = await this.#find(tool);
		return before !== undefined && before !== tool.hash;
	}

	async record(tool: CalledTool): Promise<void> {
		if ((await this.#find(tool)) === tool.hash) return;
		const { name, directory, hash } = tool;
		const at = this.#clock.now();
		await this.#store.commit((tx) =>
			tx
				.insertInto("mcp_tools")
				.values({ name, directory, hash, at, ...stamp })
				.onConflict((conflict) => conflict.columns(["name", "directory"]).doUpdateSet({ hash, at }))
				.execute(),
		);
	}

	async #find({ name, directory }: CalledTool): Promise<string | undefined> {
		const row = await this.#store.read((db) =>
			db
				.selectFrom("mcp_tools")
				.select("hash")
				.where("name", "=", name)
				.where("directory", "=", directory)
				.executeTakeFirst(),
		);
		return row?.hash;
	}
}
