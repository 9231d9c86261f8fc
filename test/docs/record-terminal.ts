/** Plays the first conversation and writes its recording, which the README shows. */
import { writeFileSync } from "node:fs";
import { recordFirstConversation } from "./terminal-recording.ts";

const path = new URL("../../docs/images/first-conversation.svg", import.meta.url);
writeFileSync(path, await recordFirstConversation());
