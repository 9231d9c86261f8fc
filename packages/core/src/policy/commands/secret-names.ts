import { isSecret } from "../../filesystem/sensitive-paths.ts";
import { matchesName } from "./places.ts";
import { UNKNOWN } from "./words.ts";

/** Environment, memory and open files of a process, and its view of the file system. */
const revealing = "environ mem maps smaps fd fdinfo root cwd task map_files".split(" ");

/** What a pattern of the shell may stand for. Names that begin with a point are meant only by patterns that do too. */
const wellKnown = ".env .ssh .aws .gnupg .netrc .npmrc id_rsa id_ed25519".split(" ");

/** Whether an absolute path of a command names a secret: as for files, by a pattern, or by way of a process. */
export function isSecretName(path: string): boolean {
	return isSecret(path) || revealsProcess(path) || path.split("/").some(mayBeWellKnown);
}

function mayBeWellKnown(name: string): boolean {
	if (!/^(?:\.|id).*[*?[]/.test(name)) return false;
	return wellKnown.some((known) => matchesName(known, name));
}

/**
 * Whether the path is one of those below `/proc` that show a process from the inside, where the process is given by
 * number, by name, by a pattern or by something that is known only when the command runs.
 */
function revealsProcess(path: string): boolean {
	const [, proc, process, ...rest] = path.split("/").map((name) => name.replaceAll(UNKNOWN, "*"));
	if (proc === undefined || process === undefined || !matchesName("proc", proc)) return false;
	const isProcess = /^(?:\d+|self|thread-self)$/.test(process) || /[*?[]/.test(process);
	return isProcess && revealing.some((name) => matchesName(name, rest[0] ?? ""));
}
