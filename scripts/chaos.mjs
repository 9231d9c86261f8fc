import { runAtFullScale } from "./full-scale.mjs";

/**
 * Runs ten thousand scenes in which connectors are killed, on platforms that drop, repeat and delay posts. Then runs
 * three thousand scenes of a complete connector between a platform and a gateway. Takes about a quarter of an hour.
 */
export function run() {
	return runAtFullScale(["test/connector"]);
}
