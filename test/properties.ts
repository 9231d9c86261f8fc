import fc from "fast-check";
import { testSeed } from "./random.ts";

// Properties take the seed of the run, as all random inputs do. Without it, a rare input fails a run that changed nothing.
fc.configureGlobal({ seed: testSeed() });

export { fc };
