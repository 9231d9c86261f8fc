import { runAtFullScale } from "./full-scale.mjs";

/**
 * Ten thousand times connectors that die and platforms that drop, double and delay what they are sent, and three thousand
 * times all of a connector between a platform and a gateway: about a quarter of an hour.
 */
export function run() {
	return runAtFullScale(["test/connector"]);
}
