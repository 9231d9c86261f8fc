import { definedItems } from "@parley/base";
import type { Mount } from "./system-layout.ts";

/** Major and minor version of bubblewrap. */
export type Version = readonly [major: number, minor: number];

const confinement: readonly Mount[] = [
	["--unshare-user"],
	["--unshare-all"],
	["--die-with-parent"],
	["--new-session"],
	["--cap-drop", "ALL"],
	["--clearenv"],
	["--hostname", "sandbox"],
];

/**
 * Returns the options that confine every command. From bubblewrap 0.8 on, the options also forbid further user
 * namespaces.
 */
export function confinementOf([major, minor]: Version): Mount[] {
	const disables = major > 0 || minor >= 8;
	return definedItems([...confinement, disables ? ["--disable-userns"] : undefined]);
}

/** Whether the version can limit the size of a tmpfs. Supported from bubblewrap 0.7 on. */
export function hasSizes([major, minor]: Version): boolean {
	return major > 0 || minor >= 7;
}

export function withoutSize(mount: Mount): Mount {
	const at = mount.indexOf("--size");
	return at < 0 ? mount : mount.toSpliced(at, 2);
}
