import { testSlack } from "./test-chaos-runs.ts";

testSlack(1);
