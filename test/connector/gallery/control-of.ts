import { type ControlKind, controlKinds } from "@parley/connector";

// The cast is safe because these are the keys of the object.
const kinds = Object.keys(controlKinds) as ControlKind[];

/** Kind of a control, from the letter in its id. Empty for controls of the platform itself, for example links. */
export function controlOf(id: string | undefined): ControlKind | "" {
	return kinds.find((kind) => id?.startsWith(`1${controlKinds[kind]}.`)) ?? "";
}
