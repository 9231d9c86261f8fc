import { type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { ParleyError } from "@parley/base";

const everybodyWrites = 0o002;
/** In such a directory, for example `/tmp`, users can only replace their own files. */
const sticky = 0o1000;

/**
 * Throws `failed_precondition` for a configuration file that every user of the machine can change or replace. A file of
 * another owner is accepted, because containers mount files of the host; so is a file that a group can write.
 */
export function refuseForeignWriters(path: string, status: Pick<Stats, "mode" | "isFile">): void {
	// A pipe, or a device such as /dev/null, has no content that another user could change.
	if (!status.isFile()) return;
	if ((status.mode & everybodyWrites) !== 0) {
		throw writable(`${path} can be changed by every user of this machine`, path, status.mode);
	}
	const directory = dirname(path);
	const { mode } = statSync(directory);
	if ((mode & everybodyWrites) === 0 || (mode & sticky) !== 0) return;
	throw writable(`${path} can be replaced by every user who can write ${directory}`, directory, mode);
}

function writable(fault: string, path: string, mode: number): ParleyError {
	const octal = (mode & 0o777).toString(8);
	return new ParleyError(
		`the configuration file ${fault} (mode ${octal}); type: chmod o-w '${path.replaceAll("'", "'\\''")}'`,
		{ code: "failed_precondition" },
	);
}
