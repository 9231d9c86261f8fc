import { parseJson } from "@parley/base";

/** Scope of the service manager: this user, or the system. */
export type Scope = "user" | "system";

/** Content of a service's description. All paths are absolute. */
export interface ServicePlan {
	readonly name: string;
	readonly scope: Scope;
	/** Version of Parley that writes the description. */
	readonly version: string;
	/** The program, followed by its arguments. */
	readonly argv: readonly string[];
	readonly workingDirectory: string;
	/**
	 * Settings from the shell that installed the service. They contain no secrets, because all users can read the
	 * description.
	 */
	readonly environment: Readonly<Record<string, string>>;
	/** File with keys and tokens. The file may be missing. */
	readonly environmentFile: string;
	readonly data: string;
	/** Account under which a system service runs. Absent for a user service. */
	readonly user?: string;
	/** Whether programs of the service may gain privileges through the setuid bit. Only an old bubblewrap needs this. */
	readonly needsSetuid: boolean;
}

/** Facts in the marker of a description. Parley recognises its own files by the marker. */
export interface Marker {
	readonly data: string;
	readonly version: string;
	readonly environmentFile: string;
}

const start = "parley-service ";

/** Returns the marker as one line, without `--`, because XML forbids this sequence in comments. */
export function markerLine({ data, version, environmentFile }: Marker): string {
	return `${start}${JSON.stringify({ data, version, environmentFile }).replaceAll("-", "\\u002d")}`;
}

/** Returns the marker of a description that Parley wrote, or undefined for any other file. */
export function readMarker(text: string): Marker | undefined {
	const [, json] = /^(?:# |<!-- )parley-service (\{.*\})(?: -->)?$/m.exec(text) ?? [];
	if (json === undefined) return undefined;
	let marker: Partial<Record<keyof Marker, unknown>>;
	try {
		// The cast is safe because the code below checks every field.
		marker = parseJson(json) as Partial<Record<keyof Marker, unknown>>;
	} catch {
		// Parley writes only valid JSON, so another program or a person wrote this line.
		return undefined;
	}
	const { data, version, environmentFile } = marker;
	if (typeof data !== "string" || typeof version !== "string" || typeof environmentFile !== "string")
		return undefined;
	return { data, version, environmentFile };
}
