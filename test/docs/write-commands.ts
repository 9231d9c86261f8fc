/**
 * Writes the tables of `docs/commands.md` and the manual page, from the commands of the program and the chat commands.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { commandTables } from "./command-table.ts";
import { manPage } from "./man-page.ts";

const path = new URL("../../docs/commands.md", import.meta.url);
const [text = ""] = readFileSync(path, "utf8").split("\n|");
writeFileSync(path, `${text.trimEnd()}\n\n${commandTables()}\n`);
writeFileSync(new URL("../../packages/cli/man/parley.1", import.meta.url), manPage());
