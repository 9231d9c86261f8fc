import fc from "fast-check";
import { testSeed } from "./random.ts";

// Properties use the seed of the run, like all random inputs. With a new seed in each run, a test could fail without a
// change.
fc.configureGlobal({ seed: testSeed() });

export { fc };
