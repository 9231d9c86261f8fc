/**
 * Plays the first conversation and the setup wizard, and writes the recordings for the README and the documentation.
 */
import { writeFileSync } from "node:fs";
import { recordSetup } from "./setup-recording.ts";
import { recordFirstConversation } from "./terminal-recording.ts";

const images = new URL("../../docs/images/", import.meta.url);
writeFileSync(new URL("first-conversation.svg", images), await recordFirstConversation());
writeFileSync(new URL("setup.svg", images), await recordSetup());
