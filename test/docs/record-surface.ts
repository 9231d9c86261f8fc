/** Records the public surface. Refuses if the surface has changed and CHANGELOG.md has no new entry. */
import { readRecorded, readSurface, refusal, writeRecorded } from "./public-surface.ts";

const now = readSurface();
const refused = refusal(readRecorded(), now);
if (refused === undefined) writeRecorded(now);
else {
	process.stderr.write(`${refused}\n`);
	process.exitCode = 1;
}
