import fc from "fast-check";
import { testSeed } from "./random.ts";

// Properties use the seed of the run, like all random inputs. Otherwise a rare random input could fail a run without a
// change.
fc.configureGlobal({ seed: testSeed() });

export { fc };
