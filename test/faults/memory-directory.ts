import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where writing costs no time: that the journal survives is shown elsewhere. */
const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A new directory, in memory where the machine has such a place. */
export function memoryDirectory(): Promise<string> {
	return mkdtemp(join(place, "parley-test-"));
}
