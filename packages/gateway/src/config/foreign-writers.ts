import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ParleyError } from "@parley/base";

const everybodyWrites = 0o002;
const groupWrites = 0o020;
/** In such a directory, for example `/tmp`, users can only replace their own files. */
const sticky = 0o1000;

type FileFacts = Pick<Stats, "mode" | "uid" | "gid" | "isFile">;

/**
 * Throws `failed_precondition` for a configuration file that every user of the machine can change or replace: the file
 * and all directories on the way to it are checked, also those that links lead through. Returns warnings for a file of
 * another user than root, because containers mount such files of the host, and for a file that a group can write. A
 * group with the id of the user counts as the private group of this user. The path is absolute, and the file exists.
 */
export function refuseForeignWriters(path: string, status: FileFacts): string[] {
	// A pipe, or a device such as /dev/null, has no content that another user could change.
	if (!status.isFile()) return [];
	if ((status.mode & everybodyWrites) !== 0) {
		throw writable(`${path} can be changed by every user of this machine`, path, status.mode);
	}
	for (const directory of directoriesOf(path)) {
		const mode = statSync(directory, { throwIfNoEntry: false })?.mode ?? 0;
		if ((mode & everybodyWrites) === 0 || (mode & sticky) !== 0) continue;
		throw writable(`${path} can be replaced by every user who can write ${directory}`, directory, mode);
	}
	return warningsAbout(path, status);
}

/** All directories on the way to a file and, for each link on the way, those on the way to its target. */
function directoriesOf(path: string): Set<string> {
	const directories = new Set<string>();
	const seen = new Set<string>();
	const follow = (at: string): void => {
		const directory = dirname(at);
		if (directory === at || seen.has(at)) return;
		seen.add(at);
		directories.add(directory);
		if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) {
			follow(resolve(realpathSync(directory), readlinkSync(at)));
		}
		follow(directory);
	};
	follow(path);
	return directories;
}

function warningsAbout(path: string, { mode, uid, gid }: FileFacts): string[] {
	const user = process.geteuid?.();
	// Windows has neither owners nor groups of this kind.
	if (user === undefined) return [];
	const quoted = quote(path);
	const warnings: string[] = [];
	if (uid !== 0 && uid !== user) {
		warnings.push(
			`the configuration file ${path} belongs to another user (id ${uid}), who can change it; ` +
				`if that is not intended, type: sudo chown ${user} ${quoted}`,
		);
	}
	if ((mode & groupWrites) !== 0 && gid !== user) {
		warnings.push(
			`the configuration file ${path} can be changed by all members of its group (id ${gid}); ` +
				`if that is not intended, type: chmod g-w ${quoted}`,
		);
	}
	return warnings;
}

function writable(fault: string, path: string, mode: number): ParleyError {
	const octal = (mode & 0o777).toString(8);
	return new ParleyError(`the configuration file ${fault} (mode ${octal}); type: chmod o-w ${quote(path)}`, {
		code: "failed_precondition",
	});
}

function quote(path: string): string {
	return `'${path.replaceAll("'", "'\\''")}'`;
}
