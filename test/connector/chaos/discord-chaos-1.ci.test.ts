import { testDiscord } from "./test-chaos-runs.ts";

testDiscord(0);
