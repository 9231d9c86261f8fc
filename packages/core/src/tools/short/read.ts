import { defineTool } from "../../vocabulary/tool.ts";
import { readFile } from "../files/read-file.ts";

/** `read_file` under the name that clients of the stdio protocol know. */
export const read = defineTool({
	...readFile,
	name: "read",
	ruleName: readFile.name,
	description:
		"Reads lines of a text file; a picture (PNG, JPEG, GIF, WebP, up to 3.75 MiB) is shown to you. Look at a file " +
		"before you change it. Returns at most 2,000 lines and 30,000 characters; a marker at the end says how to continue. " +
		"If the result of another call was shortened, the marker in it names a kept file: read that with this tool. " +
		"Directories and other binary files cannot be read.",
});
