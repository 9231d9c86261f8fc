import { billionths, dollars, type PlaceProfile } from "@parley/core";
import type { PlaceProfilePayload } from "@parley/protocol";
import { keyed, type MethodsOf } from "./request-target.ts";

const hourMs = 60 * 60 * 1000;

/** How the operator says what holds in a channel. */
export const placeMethods: MethodsOf<"list_places" | "set_place" | "remove_place"> = {
	async list_places({ deps }, { principal }) {
		const places = await deps.runtime.trust.places.list(principal);
		return {
			places: places.map(({ key, profile, source }) => ({
				place: key,
				profile: encodeProfile(profile),
				source,
			})),
		};
	},

	async set_place(connection, request) {
		const { place, profile } = request.params;
		const { places } = connection.deps.runtime.trust;
		await places.set(keyed(connection, request), place, decodeProfile(profile));
		return { place, profile };
	},

	async remove_place(connection, request) {
		const { place } = request.params;
		await connection.deps.runtime.trust.places.remove(keyed(connection, request), place);
		return { status: "removed", place };
	},
};

/** What the wire says of a channel, in the runtime's units. */
function decodeProfile(payload: PlaceProfilePayload): PlaceProfile {
	const { budget_usd, quota_bytes, approval_hours, approve_in, ...same } = payload;
	return {
		...same,
		...(approve_in && { approveIn: approve_in }),
		...(budget_usd !== undefined && { budget: billionths(budget_usd) }),
		...(quota_bytes !== undefined && { quotaBytes: quota_bytes }),
		...(approval_hours !== undefined && { approvalMs: approval_hours * hourMs }),
	};
}

function encodeProfile({
	budget,
	quotaBytes,
	approvalMs,
	tools,
	approvers,
	approveIn,
	...same
}: PlaceProfile): PlaceProfilePayload {
	return {
		...same,
		...(tools && { tools: [...tools] }),
		...(approvers && { approvers: [...approvers] }),
		...(approveIn && { approve_in: [...approveIn] }),
		...(budget !== undefined && { budget_usd: dollars(budget) }),
		...(quotaBytes !== undefined && { quota_bytes: quotaBytes }),
		...(approvalMs !== undefined && { approval_hours: approvalMs / hourMs }),
	};
}
