import { type Logger, ParleyError } from "@parley/base";
import type { ModelTable } from "@parley/core";
import type { Models } from "../models/open-models.ts";
import { shorten } from "../wires/zot/codec.ts";

/** Names that a refusal lists. */
const mostListed = 10;

/**
 * Refuses names that the server does not list. The list is requested with the first name. A server without a list may have
 * any model.
 */
export function checkServed(
	askServed: () => Promise<ModelTable>,
	{ model: { provider }, modelName, table: known, serverHost }: Models,
	log: Logger,
): (name: string) => Promise<void> {
	let pending: Promise<ModelTable> | undefined;
	return async (name) => {
		pending ??= askServed();
		const table = await pending.catch((error: unknown) => {
			// The next attempt may get a list.
			pending = undefined;
			log.info("the server does not list its models: any name is accepted", { error });
			return undefined;
		});
		const real = known.find(name, provider)?.id ?? name;
		if (table === undefined || name === "default" || real === modelName || table.find(real, provider)) return;
		const near = table.near(name, provider);
		const names = table.list(provider).map(({ id }) => id);
		const listed = `${names.slice(0, mostListed).join(", ")}${names.length > mostListed ? ", …" : ""}`;
		const choices =
			near.length > 0 ? `did you mean ${near.join(", ")}?` : `${serverHost} has ${listed || "none"}`;
		throw new ParleyError(`model: there is no model ${JSON.stringify(shorten(name, 200))}; ${choices}`, {
			code: "invalid_argument",
		});
	};
}
