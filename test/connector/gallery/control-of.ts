import { type ControlKind, controlKinds } from "@parley/connector";

// The cast is safe because `Object.keys` returns the keys of this object.
const kinds = Object.keys(controlKinds) as ControlKind[];

/** Empty for elements without a known kind, for example links. */
export function controlOf(id: string | undefined): ControlKind | "" {
	return kinds.find((kind) => id?.startsWith(`1${controlKinds[kind]}.`)) ?? "";
}
