import { defineTool } from "../../tool.ts";
import { readFile } from "../read-file.ts";

/** `read_file` under the name that clients of the stdio protocol know. */
export const read = defineTool({
	...readFile,
	name: "read",
	ruleName: readFile.name,
	description:
		"Reads lines of a text file; a picture (PNG, JPEG, GIF, WebP, up to 3.75 MiB) is shown to you. Look at a file " +
		"before you change it. Up to 2000 lines and 256 KiB come back at once; where more follow, a marker at the end " +
		"says which offset to go on with. Directories and other binary files cannot be read.",
});
