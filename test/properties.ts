import fc from "fast-check";
import { testSeed } from "./random.ts";

// Properties use the seed of the run, like all random inputs. With another seed, an unchanged program could fail.
fc.configureGlobal({ seed: testSeed() });

export { fc };
