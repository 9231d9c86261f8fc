import { defineTool } from "../../vocabulary/tool.ts";
import { writeFile } from "../files/write-file.ts";

/** `write_file` under the name that clients of the stdio protocol know. */
export const write = defineTool({
	...writeFile,
	name: "write",
	ruleName: writeFile.name,
	description:
		"Makes a text file, with the directories that it needs, or replaces all that stands in one. Give the whole " +
		"content, up to 256 KiB. To change parts of a file that is there, use edit.",
});
