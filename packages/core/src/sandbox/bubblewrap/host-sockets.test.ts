import { expect, test } from "vitest";
import { socketNamesIn } from "./protected-paths.ts";

const header = "Num       RefCount Protocol Flags    Type St Inode Path\n";
const entry = (path: string): string => `0000000012ab34cd: 00000002 00000000 00010000 0001 01    12${path}\n`;

test("file names from the kernel's list are returned once each", () => {
	const list = [header, entry(" /a b/c.sock"), entry(""), entry(" @abstract"), entry(" /a b/c.sock")].join(
		"",
	);
	expect(socketNamesIn(list)).toEqual({ names: ["/a b/c.sock"], isComplete: true });
});

test.each([
	["nothing", ""],
	["a relative name", `${header}${entry(" x.sock")}`],
	["a name with a line feed", `${header}${entry(" /a\nb")}`],
	["no end", `${header}${entry(" /a")}000000`],
])("a list with %s is incomplete", (_, list) => {
	expect(socketNamesIn(list).isComplete).toBe(false);
});
