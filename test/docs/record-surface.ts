/** Records the public surface. Refuses a changed surface without a new line in CHANGELOG.md. */
import { readRecorded, readSurface, refusal, writeRecorded } from "./public-surface.ts";

const now = readSurface();
const refused = refusal(readRecorded(), now);
if (refused === undefined) writeRecorded(now);
else {
	process.stderr.write(`${refused}\n`);
	process.exitCode = 1;
}
