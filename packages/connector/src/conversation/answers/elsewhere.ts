import { defined } from "@parley/base";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import type { Run } from "./runs.ts";

/**
 * Returns the property `elsewhere` for the answer of a run, with the author of the run's message. Returns an empty
 * object without a room, or if the author is not a person of the room's platform and tenant.
 */
export function elsewhereOf(run: Run | undefined, { room, link }: Scene): Pick<ShowOperation, "elsewhere"> {
	const [platform, tenant, person] = run?.author?.id.split(":") ?? [];
	if (room === undefined || person === undefined) return {};
	if (platform !== room.platform || tenant !== room.tenant) return {};
	return { elsewhere: { person, ...defined({ link }) } };
}
