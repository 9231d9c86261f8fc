import { chooseRoot } from "../filesystem/roots.ts";
import { noProfiles } from "../policy/profiles/no-profiles.ts";
import { findTaint } from "../store/session-taint.ts";
import { unknownSession } from "../vocabulary/authorize.ts";
import type { Taint } from "../vocabulary/taint.ts";
import type { GrantScope, Tool } from "../vocabulary/tool.ts";
import type { Places } from "./places.ts";
import type { PolicyPlace } from "./policies.ts";
import { findScopes, findTrust, trustHolds } from "./session-trust.ts";
import type { TrustOptions } from "./trust-options.ts";

/** A session as far as rules are concerned: one that there is, or one that could be. */
export interface PolicyScene {
	readonly profile: string;
	readonly rootDir: string;
	readonly place: string | undefined;
	/** Those of its agent. */
	readonly tools: readonly Tool[];
	readonly acceptAll: boolean;
	readonly grants: readonly GrantScope[];
	readonly taint: Taint;
}

type SceneOptions = Pick<TrustOptions, "store" | "clock" | "roots" | "tools" | "profiles"> & {
	readonly places?: Pick<Places, "profileOf">;
};

/** Finds the session, or makes one up: the operator's own at the first root. Throws `not_found`, `invalid_argument`. */
export async function findScene(
	{ sessionId, agent, place }: PolicyPlace,
	options: SceneOptions,
): Promise<PolicyScene> {
	const { roots, profiles = noProfiles } = options;
	const session = sessionId === undefined ? undefined : await findSession(sessionId, options);
	const profile = await profiles.find(agent ?? session?.profile ?? "default");
	const tools = options.tools.filter(({ name }) => profile.tools?.includes(name) ?? true);
	// A channel without a directory of its own works in one that is still to be made: the first root stands for it.
	const channel = place === undefined ? undefined : options.places?.profileOf(place).root;
	const rootDir = channel ?? (await chooseRoot(undefined, roots));
	return {
		...(session ?? { rootDir, acceptAll: false, grants: [], taint: "" }),
		...{ profile: profile.name, tools },
		place: place ?? session?.place,
	};
}

async function findSession(id: string, { store, clock }: SceneOptions): Promise<Omit<PolicyScene, "tools">> {
	return store.read(async (db) => {
		const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
		if (!row) throw unknownSession(id);
		const absentSince = row.left_at === null ? undefined : Number(row.left_at);
		return {
			...{ profile: row.profile, rootDir: row.root_dir, place: row.place ?? undefined },
			acceptAll: trustHolds(await findTrust(db, id), clock.now(), absentSince),
			grants: await findScopes(db, id),
			taint: await findTaint(db, id),
		};
	});
}
