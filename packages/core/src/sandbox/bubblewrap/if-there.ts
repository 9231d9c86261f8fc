import { systemCode } from "../../filesystem/file-error.ts";

const nothing = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"];

/** Result of an operation on a path; undefined if nothing is there that this user can reach. */
export async function ifThere<T>(found: Promise<T>): Promise<T | undefined> {
	try {
		return await found;
	} catch (reason) {
		if (nothing.includes(systemCode(reason))) return undefined;
		throw reason;
	}
}
