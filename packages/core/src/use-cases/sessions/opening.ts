import { ParleyError } from "@parley/base";
import { replacedDirectory } from "../../filesystem/paths.ts";
import { chooseRoot, type Roots } from "../../filesystem/roots.ts";
import type { Profiles } from "../../policy/profiles/profile.ts";
import { placeRoot } from "../../trust/place-check.ts";
import type { Places } from "../../trust/places.ts";
import { hasRole, type Principal, placeKey } from "../../vocabulary/principal.ts";
import { type ImportedRun, planImport } from "./import-history.ts";
import type { NewSession } from "./open.ts";

/** A session to be opened, as it will be. */
export interface Opening extends NewSession {
	/** Where it works; a workspace of its own where absent. */
	readonly root?: string;
	/** The channel that it belongs to, as `placeKey` writes it. */
	readonly place?: string;
	readonly model?: string;
	/** Billionths of a US dollar a day. */
	readonly budget?: number;
	/** The history, checked. */
	readonly imported?: readonly ImportedRun[];
	/** Rejects where its agent cannot be used. */
	readonly usable?: Promise<unknown>;
}

/** What openings go by. */
export interface OpeningRules {
	readonly roots: Roots;
	readonly places: Pick<Places, "profileOf">;
	readonly profiles: Pick<Profiles, "find">;
}

/**
 * What a session will be: as the client wants it, or, where a connector acts for a person, as their channel's profile
 * says. Throws `invalid_argument` for a directory that it cannot have, and `permission_denied` for what
 * the person may not choose.
 */
export async function planOpening(
	principal: Principal,
	wanted: NewSession,
	rules: OpeningRules,
): Promise<Opening> {
	const opening = await planFor(principal, wanted, rules);
	return opening.profile === undefined
		? opening
		: { ...opening, usable: rules.profiles.find(opening.profile) };
}

async function planFor(
	{ person }: Principal,
	wanted: NewSession,
	{ roots, places }: OpeningRules,
): Promise<Opening> {
	const { history = [] } = wanted;
	if (!person) {
		return { ...wanted, imported: planImport(history), root: await chooseRoot(wanted.rootDir, roots) };
	}
	if (history.length > 0) {
		const message =
			"history: a connector that acts for a person cannot bring one: open the session without it";
		throw new ParleyError(message, { code: "permission_denied" });
	}
	const place = placeKey(person.place);
	if (wanted.rootDir) {
		const message = `root_dir: where ${place} works, the operator says, with parley places set ${place} --root DIRECTORY`;
		throw new ParleyError(message, { code: "permission_denied" });
	}
	const { agent: named, root, model, budget } = places.profileOf(place);
	const agent = named ?? wanted.profile;
	if (named === undefined && agent !== undefined && !hasRole(person, "member")) {
		const message = `profile: ${person.id} is ${person.role}, and it takes a member to choose one; the operator names one for ${place} with parley places set ${place} --agent NAME`;
		throw new ParleyError(message, { code: "permission_denied" });
	}
	return {
		...wanted,
		place,
		...(agent !== undefined && { profile: agent }),
		...(root !== undefined && { root: await channelRoot(place, root, roots) }),
		...(model !== undefined && { model }),
		...(budget !== undefined && { budget }),
	};
}

/** The root of a channel as it was set. One that is a link by now, or lies behind one, is refused, not followed. */
async function channelRoot(place: string, root: string, roots: Roots): Promise<string> {
	const real = await placeRoot(place, root, roots);
	if (real !== root) throw replacedDirectory(root, "root", real);
	return root;
}
