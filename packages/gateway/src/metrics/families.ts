import type { Distribution } from "./distribution.ts";
import type { Family } from "./exposition.ts";
import type { Tally } from "./tally.ts";

/** A family of counts; `unit` is how many of what was counted make one of what is told. */
export function counter(name: string, help: string, tally: Tally, unit = 1): Family {
	return { name, help, type: "counter", samples: tally.samples(unit) };
}

export function histogram(name: string, help: string, measured: Distribution): Family {
	return { name, help, type: "histogram", samples: measured.samples() };
}
