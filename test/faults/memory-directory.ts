import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Memory, so that writing takes no time. Other tests show that the journal survives. */
const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A new directory, in memory if the machine has `/dev/shm`. */
export function memoryDirectory(): Promise<string> {
	return mkdtemp(join(place, "parley-test-"));
}
