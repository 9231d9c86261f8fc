/**
 * Plays the first conversation and the setup wizard, and writes their recordings. The README and the documentation show
 * the recordings.
 */
import { writeFileSync } from "node:fs";
import { recordSetup } from "./setup-recording.ts";
import { recordFirstConversation } from "./terminal-recording.ts";

const images = new URL("../../docs/images/", import.meta.url);
writeFileSync(new URL("first-conversation.svg", images), await recordFirstConversation());
writeFileSync(new URL("setup.svg", images), await recordSetup());
