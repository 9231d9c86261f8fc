import { type ControlKind, controlKinds } from "@parley/connector";

// True because these are the keys of the object.
const kinds = Object.keys(controlKinds) as ControlKind[];

/** Kind of a control, by the letter in its id. Empty for the controls of a platform, for example links. */
export function controlOf(id: string | undefined): ControlKind | "" {
	return kinds.find((kind) => id?.startsWith(`1${controlKinds[kind]}.`)) ?? "";
}
