import type { ActionClass } from "../vocabulary/action-class.ts";
import type { PathPattern } from "./path-pattern.ts";

export type Effect = "allow" | "ask" | "deny";

/** Who wrote a rule, from the strongest: what stands behind `operator` can only add what is asked and denied. */
export type Layer = "built-in" | "operator" | "agent" | "channel" | "workspace";

/** A rule that somebody wrote. It concerns the calls that all its conditions fit; one that is absent fits all. */
export interface PolicyRule {
	readonly layer: Layer;
	/** Where it stands: `FILE:LINE`. */
	readonly source: string;
	readonly effect: Effect;
	/** For people and the model. */
	readonly reason: string;
	/** Names of tools, `*` for any letters. */
	readonly tools?: readonly string[];
	readonly classes?: readonly ActionClass[];
	/** Programs with the arguments they begin with. */
	readonly commands?: readonly (readonly string[])[];
	readonly paths?: readonly PathPattern[];
	/** Names of hosts in lower case, `*` for any letters. */
	readonly hosts?: readonly string[];
}

/** The rules beside the built-in ones that hold for a session at this moment. */
export interface PolicyInForce {
	/** Another one as soon as a rule in it is another one. */
	readonly version: string;
	readonly rules: readonly PolicyRule[];
	/** Rules that a layer may not make, which count for nothing. */
	readonly ignored: readonly PolicyRule[];
	/** Why a layer cannot be read: then every call is denied. */
	readonly problem?: { readonly layer: Layer; readonly reason: string };
}

/** How a rule spoke to a call. */
export interface SpokenRule {
	/** `session`: what people allowed in it. */
	readonly layer: Layer | "session";
	readonly source?: string;
	readonly effect: Effect;
	readonly reason: string;
	/** Whether the decision is its. */
	readonly decides: boolean;
}
