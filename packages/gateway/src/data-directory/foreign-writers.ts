import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ParleyError } from "@parley/base";
import { foreignWriterTexts } from "../texts/config/file.ts";

const everybodyWrites = 0o002;
const groupWrites = 0o020;
/** Sticky bit of directories such as `/tmp`, in which users can replace only the files that they own. */
const sticky = 0o1000;

interface FileFacts {
	readonly mode: number;
	readonly uid: number;
	readonly gid: number;
	isFile(): boolean;
}

/**
 * Throws `failed_precondition` for a configuration file that every user of the machine can change or replace. Returns
 * warnings if the owner of the file is neither root nor the gateway's user, or if a group can write to the file.
 * These are only warnings, because containers mount such files from the host. The path must be absolute, and the file
 * must exist.
 *
 * The same checks apply to all directories on the path to the file, and on the paths to the targets of links. A user
 * who can write to a directory can replace its files. Write permissions of directories with the sticky bit, such as
 * `/tmp`, are ignored. A group with the id of the user is treated as the user's private group, and the group with id
 * 0 as root.
 */
export function refuseForeignWriters(path: string, status: FileFacts): string[] {
	// Pipes, and devices such as /dev/null, have no content that another user could change.
	if (!status.isFile()) return [];
	if ((status.mode & everybodyWrites) !== 0) {
		throw writable(foreignWriterTexts.changedByAll({ path }), path, status.mode);
	}
	const way = stepsTo(path);
	for (const [directory, { mode }] of way.directories) {
		if ((mode & everybodyWrites) === 0 || (mode & sticky) !== 0) continue;
		throw writable(foreignWriterTexts.replacedByAll({ path, directory }), directory, mode);
	}
	return warningsAbout(path, status, way);
}

interface PathSteps {
	/** All directories on the path to the file and, for each link on the path, the directories on the path to its target. */
	readonly directories: ReadonlyMap<string, Stats>;
	/** Links in directories with the sticky bit, such as `/tmp`. The owner of such a link can replace the link. */
	readonly links: ReadonlyMap<string, Stats>;
}

function stepsTo(path: string): PathSteps {
	const directories = new Map<string, Stats>();
	const links = new Map<string, Stats>();
	const seen = new Set<string>();
	const follow = (at: string): void => {
		const directory = dirname(at);
		if (directory === at || seen.has(at)) return;
		seen.add(at);
		const facts = statSync(directory, { throwIfNoEntry: false });
		if (facts) directories.set(directory, facts);
		const own = lstatSync(at, { throwIfNoEntry: false });
		if (own?.isSymbolicLink()) {
			if (facts && (facts.mode & sticky) !== 0) links.set(at, own);
			follow(resolve(realpathSync(directory), readlinkSync(at)));
		}
		follow(directory);
	};
	follow(path);
	return { directories, links };
}

function warningsAbout(path: string, status: FileFacts, way: PathSteps): string[] {
	const { uid, gid } = status;
	const user = process.geteuid?.();
	// Windows has no numeric owners and groups, and Node has no `geteuid` there.
	if (user === undefined) return [];
	const isForeign = (owner: number): boolean => owner !== 0 && owner !== user;
	const groupCanWrite = (facts: FileFacts): boolean =>
		(facts.mode & groupWrites) !== 0 && isForeign(facts.gid);
	const warnings: string[] = [];
	const warn = (fault: string, fix: string): void => {
		warnings.push(foreignWriterTexts.warning({ path, fault, fix }));
	};
	if (isForeign(uid)) {
		warn(foreignWriterTexts.otherOwner({ user: uid }), `sudo chown ${user} ${quote(path)}`);
	}
	if (groupCanWrite(status)) {
		warn(foreignWriterTexts.group({ group: gid }), `chmod g-w ${quote(path)}`);
	}
	// Each foreign user and each foreign group causes at most one warning about directories and links, because nested
	// directories often have the same owner.
	const [owners, groups] = [new Set([uid]), new Set<number>()];
	for (const [place, facts] of [...way.directories, ...way.links]) {
		if (isForeign(facts.uid) && !owners.has(facts.uid)) {
			owners.add(facts.uid);
			warn(
				foreignWriterTexts.otherDirectoryOwner({ user: facts.uid, directory: place }),
				`sudo chown -h ${user} ${quote(place)}`,
			);
		}
		const isOpen = !facts.isSymbolicLink() && (facts.mode & sticky) === 0 && groupCanWrite(facts);
		if (!isOpen || groups.has(facts.gid)) continue;
		groups.add(facts.gid);
		warn(
			foreignWriterTexts.directoryGroup({ group: facts.gid, directory: place }),
			`chmod g-w ${quote(place)}`,
		);
	}
	return warnings;
}

function writable(fault: string, path: string, mode: number): ParleyError {
	const octal = (mode & 0o777).toString(8);
	return new ParleyError(foreignWriterTexts.refusal({ fault, mode: octal, path: quote(path) }), {
		code: "failed_precondition",
	});
}

function quote(path: string): string {
	return `'${path.replaceAll("'", "'\\''")}'`;
}
