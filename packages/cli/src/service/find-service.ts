import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, extname } from "node:path";
import { ParleyError } from "@parley/base";
import { definedItems } from "@parley/base/defined";
import { serviceErrors } from "../texts/service.ts";
import { chooseManager } from "./choose-manager.ts";
import { readIfExists } from "./environment-file.ts";
import type { Machine } from "./machine.ts";
import type { ServiceManager } from "./service-manager.ts";
import { type Marker, readMarker, type Scope } from "./service-plan.ts";

export interface InstalledService {
	readonly name: string;
	readonly file: string;
	readonly manager: ServiceManager;
	readonly marker: Marker;
	/** Text of the service description. */
	readonly text: string;
}

/**
 * Finds the service with this name. Resolves with undefined if it does not exist. Rejects with
 * `failed_precondition` if the file belongs to another program.
 */
export async function findService(
	name: string,
	manager: ServiceManager,
): Promise<InstalledService | undefined> {
	const file = manager.fileOf(name);
	const text = await readIfExists(file);
	if (text === "") return undefined;
	const marker = readMarker(text);
	if (marker) return { name, file, manager, marker, text };
	throw new ParleyError(serviceErrors.foreignFile({ file }), { code: "failed_precondition" });
}

/** Finds the service in `scope`. Without a scope, looks for a user service first, then for a system service. */
export async function findInstalled(
	name: string,
	scope: Scope | undefined,
	machine: Machine,
): Promise<InstalledService | undefined> {
	const scopes: readonly Scope[] = scope === undefined ? ["user", "system"] : [scope];
	for (const one of scopes) {
		const found = await findService(name, chooseManager(one, machine));
		if (found) return found;
	}
	return undefined;
}

/**
 * Resolves with all services of a data directory, user services first. Skips files of other programs and
 * unreadable files.
 */
export async function servicesOf(data: string, machine: Machine): Promise<InstalledService[]> {
	const directory = await realPath(data);
	const found = await allServices(machine);
	const isOfData = await Promise.all(
		found.map(async ({ marker }) => (await realPath(marker.data)) === directory),
	);
	return found.filter((_, index) => isOfData[index]);
}

/** Resolves with all services of Parley that this user can read, user services first. */
export async function allServices(machine: Machine): Promise<InstalledService[]> {
	const found: InstalledService[] = [];
	for (const scope of ["user", "system"] as const) {
		const manager = managerOrNone(scope, machine);
		if (manager) found.push(...(await servicesIn(manager)));
	}
	return found;
}

/**
 * Returns the Parley program that a service starts, or undefined if the description starts no such program, for
 * example after a change by an operator.
 */
export function programOfService({ text }: { readonly text: string }): string | undefined {
	const [line = ""] = /^ExecStart=.*$/m.exec(text) ?? [];
	const quoted = /"((?:[^"\\]|\\.)*bin\/parley\.mjs)"/.exec(line)?.[1];
	if (quoted !== undefined) return unescaped(quoted.replaceAll(/\\(.)/g, "$1"));
	const inPlist = /<string>([^<\n]*bin\/parley\.mjs)<\/string>/.exec(text)?.[1];
	if (inPlist !== undefined) {
		return inPlist.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
	}
	return / (\/\S*bin\/parley\.mjs)(?: |$)/.exec(line)?.[1];
}

/** Replaces `$$` and `%%`, the escapes of `$` and `%` in a unit: systemd.service(5) and systemd.unit(5). */
function unescaped(word: string): string {
	return word.replaceAll("$$", "$").replaceAll("%%", "%");
}

/** Returns the service manager, or undefined on systems without a known service manager. */
function managerOrNone(scope: Scope, machine: Machine): ServiceManager | undefined {
	const isKnown = machine.platform === "linux" || machine.platform === "darwin";
	return isKnown ? chooseManager(scope, machine) : undefined;
}

async function servicesIn(manager: ServiceManager): Promise<InstalledService[]> {
	const example = manager.fileOf("parley");
	// `example` is "parley.service" or "parley.gateway.plist".
	const ending = basename(example).slice("parley".length);
	const names = await readdir(dirname(example)).catch(() => []);
	const found = await Promise.all(
		names
			.filter((file) => file.endsWith(ending) && extname(file) === extname(example))
			.map((file) => findService(file.slice(0, -ending.length), manager).catch(() => undefined)),
	);
	return definedItems(found);
}

function realPath(path: string): Promise<string> {
	// A directory can have several paths. A path that cannot be resolved stays unchanged.
	return realpath(path).catch(() => path);
}
