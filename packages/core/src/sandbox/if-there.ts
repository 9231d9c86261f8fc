import { systemCode } from "../tools/file-error.ts";

const nothing = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"];

/** What was found at a path; undefined where nothing is, or nothing that this user can reach. */
export async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
	try {
		return await found;
	} catch (reason) {
		if (nothing.includes(systemCode(reason))) return undefined;
		throw reason;
	}
}
