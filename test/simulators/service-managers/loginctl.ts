// Simulates loginctl(1): `show-user NAME --property=Linger` and `enable-linger NAME`.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, recordCall, stateDirectory } from "./state.ts";

recordCall("loginctl");
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const file = join(stateDirectory(), "linger");
if (words[0] === "show-user") process.stdout.write(`Linger=${existsSync(file) ? "yes" : "no"}\n`);
else if (words[0] === "enable-linger") {
	if (process.env["SIMULATED_POLKIT"] === "refuse")
		fail("Could not enable linger: Interactive authentication required.");
	writeFileSync(file, "");
} else fail(`Unknown command verb '${words[0]}'.`);
