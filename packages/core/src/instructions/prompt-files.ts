import { readFileSync } from "node:fs";

/** Template of the system prompt: rules and facts for every agent, with placeholders. */
export const systemTemplate = readFileSync(new URL("./system.md", import.meta.url), "utf8");

/** Role and working rules of an agent without its own instructions. */
export const agentInstructions = readFileSync(new URL("./agent.md", import.meta.url), "utf8").trimEnd();
