import { parseJson } from "@parley/base";

/** Owner of the manager that runs the service: this user, or the system. */
export type Scope = "user" | "system";

/** Content of the description of a service. All paths are absolute. */
export interface ServicePlan {
	readonly name: string;
	readonly scope: Scope;
	/** Version of Parley that writes it. */
	readonly version: string;
	/** Program and its arguments. */
	readonly argv: readonly string[];
	readonly workingDirectory: string;
	/** Settings of the shell of the installation. The file is readable by all users, so it has no secrets. */
	readonly environment: Readonly<Record<string, string>>;
	/** File with keys and tokens. May be missing. */
	readonly environmentFile: string;
	readonly data: string;
	/** Account of a system service. */
	readonly user?: string;
	/** Whether programs of the service may gain rights by the setuid bit. Only an old bubblewrap needs that. */
	readonly needsSetuid: boolean;
}

/** Facts in the marker of a description, by which Parley recognises its own files. */
export interface Marker {
	readonly data: string;
	readonly version: string;
	readonly environmentFile: string;
}

const start = "parley-service ";

/** One line without a newline, and without `--`, which XML forbids in comments. */
export function markerLine({ data, version, environmentFile }: Marker): string {
	return `${start}${JSON.stringify({ data, version, environmentFile }).replaceAll("-", "\\u002d")}`;
}

/** The marker of a description that Parley wrote; undefined for any other file. */
export function readMarker(text: string): Marker | undefined {
	const [, json] = /^(?:# |<!-- )parley-service (\{.*\})(?: -->)?$/m.exec(text) ?? [];
	if (json === undefined) return undefined;
	// Every field is checked below.
	const { data, version, environmentFile } = parseJson(json) as Partial<Record<keyof Marker, unknown>>;
	if (typeof data !== "string" || typeof version !== "string" || typeof environmentFile !== "string")
		return undefined;
	return { data, version, environmentFile };
}
