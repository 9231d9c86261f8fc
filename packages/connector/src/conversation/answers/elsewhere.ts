import { defined } from "@parley/base";
import type { Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import type { Run } from "./runs.ts";

/**
 * The author of the message, who receives the answer in a direct message if the thread or channel is closed. Empty if
 * the author is not a person of this platform and tenant.
 */
export function elsewhereOf(run: Run | undefined, { room, link }: Scene): Pick<ShowOperation, "elsewhere"> {
	const [platform, tenant, person] = run?.author?.id.split(":") ?? [];
	if (room === undefined || person === undefined) return {};
	if (platform !== room.platform || tenant !== room.tenant) return {};
	return { elsewhere: { person, ...defined({ link }) } };
}
