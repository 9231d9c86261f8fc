/** Writes the table of `docs/commands.md` from the commands of the program. */
import { readFileSync, writeFileSync } from "node:fs";
import { commandTable } from "./command-table.ts";

const path = new URL("../../docs/commands.md", import.meta.url);
const [text = ""] = readFileSync(path, "utf8").split("\n|");
writeFileSync(path, `${text.trimEnd()}\n\n${commandTable()}\n`);
