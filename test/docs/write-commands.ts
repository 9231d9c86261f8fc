/** Writes the tables of `docs/commands.md` from the commands of the program and of chats. */
import { readFileSync, writeFileSync } from "node:fs";
import { commandTables } from "./command-table.ts";

const path = new URL("../../docs/commands.md", import.meta.url);
const [text = ""] = readFileSync(path, "utf8").split("\n|");
writeFileSync(path, `${text.trimEnd()}\n\n${commandTables()}\n`);
