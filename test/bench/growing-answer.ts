import { benchGrowing } from "./measure/growing-bench.ts";
import { readOptions } from "./measure/report.ts";

/** A growing answer in Discord, compared with discord.js alone: see `benchGrowing`. */
const sides = { kit: "discord-kit", sdk: "discord-sdk", platform: "discord-platform", library: "discord.js" };
await benchGrowing("growing-answer", sides, readOptions(3));
