import { basename } from "node:path";

/** What whoever typed the command line calls this program: two names start it. */
export function programName(): "zot" | "parley" {
	return basename(process.argv[1] ?? "").startsWith("zot") ? "zot" : "parley";
}
