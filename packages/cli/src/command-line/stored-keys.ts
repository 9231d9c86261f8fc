import { readStoredKeys } from "@parley/gateway/settings";
import { chosenDataDirectory } from "./data-directory.ts";
import type { Io } from "./io.ts";

/**
 * The same input and output with the keys that `parley setup` has stored. A variable of the environment has precedence. The
 * variables of this process stay, so that no program that it starts gets a stored key without need.
 */
export async function withStoredKeys(io: Io, data: string | undefined): Promise<Io> {
	const keys = await readStoredKeys(await chosenDataDirectory(data, io));
	if (Object.keys(keys).length === 0) return io;
	const set = Object.entries(io.environment).filter(([, value]) => value !== undefined && value !== "");
	const environment = { ...keys, ...Object.fromEntries(set) };
	// The property of the current directory is copied unread: it throws, but not every command needs it.
	const own: Io = Object.create(Object.getPrototypeOf(io), {
		...Object.getOwnPropertyDescriptors(io),
		environment: { value: environment, enumerable: true },
	});
	return own;
}
