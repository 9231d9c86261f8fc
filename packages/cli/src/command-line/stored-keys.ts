import { readStoredKeys } from "@parley/gateway/settings";
import { chosenDataDirectory } from "./data-directory.ts";
import type { Io } from "./io.ts";

/**
 * Returns `io` with an environment that also contains the keys that `parley setup` has stored. A variable that is
 * already set has precedence. `process.env` stays unchanged, so that a child process receives a stored key only if it
 * needs the key.
 */
export async function withStoredKeys(io: Io, data: string | undefined): Promise<Io> {
	const keys = await readStoredKeys(await chosenDataDirectory(data, io));
	if (Object.keys(keys).length === 0) return io;
	const set = Object.entries(io.environment).filter(([, value]) => value !== undefined && value !== "");
	const environment = { ...keys, ...Object.fromEntries(set) };
	// The getter of the current directory is copied, and not called. It throws if the directory was deleted, and only
	// some commands need the directory.
	const own: Io = Object.create(Object.getPrototypeOf(io), {
		...Object.getOwnPropertyDescriptors(io),
		environment: { value: environment, enumerable: true },
	});
	return own;
}
