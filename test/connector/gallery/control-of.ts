import { type ControlKind, controlKinds } from "@parley/connector";

// The cast is safe because `Object.keys` returns the keys of this object.
const kinds = Object.keys(controlKinds) as ControlKind[];

/** Returns the kind of a control by its id. Empty for an element without a known kind, for example a link. */
export function controlOf(id: string | undefined): ControlKind | "" {
	return kinds.find((kind) => id?.startsWith(`1${controlKinds[kind]}.`)) ?? "";
}
