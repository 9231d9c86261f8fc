import { runAtFullScale } from "./full-scale.mjs";

/**
 * Runs ten thousand scenes of connectors that are killed, with platforms that drop, repeat and delay posts. Then runs three
 * thousand scenes of a complete connector between a platform and a gateway. Takes about a quarter of an hour.
 */
export function run() {
	return runAtFullScale(["test/connector"]);
}
