/** Letters, digits and a few signs, none of which leads anywhere else: such a name is one step below a directory. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,63}$/u;

/** Whether this can be the name of an agent, and so of its directory: at most 64 characters. */
export function isProfileName(name: string): boolean {
	return name.length <= 64 && NAME.test(name) && !name.endsWith(" ");
}

/** The profile of a session that names none. */
export const defaultProfile = "default";
