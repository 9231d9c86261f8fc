import type { Client } from "@parley/protocol";
import { beginsId, requireLongId } from "../text/begins-id.ts";
import { UsageError } from "../usage.ts";

/** The whole id of the grant that is meant; what no grant begins with is left for the gateway to refuse. */
export async function findGrant(client: Client, given: string): Promise<string> {
	const { grants } = await client.request("list_grants", {});
	const ids = grants.map(({ grant_id }) => grant_id);
	if (ids.includes(given)) return given;
	const [only, ...others] = ids.filter((id) => beginsId(id, given));
	if (only === undefined) requireLongId(given);
	if (others.length > 0)
		throw new UsageError(`several grants begin with ${given}: ${[only, ...others].join(", ")}`);
	return only ?? given;
}
