import { runAtFullScale } from "./full-scale.mjs";

/**
 * Runs all tests of `test/connector` at full scale. Among them are ten thousand scenes in which connectors are killed,
 * on platforms that drop, repeat and delay posts. Three thousand scenes play a complete connector between a platform
 * and a gateway. Can take hours.
 */
export function run() {
	return runAtFullScale(["test/connector"]);
}
