import { expect, test } from "vitest";
import { nthName, safeFileName } from "./content-facts.ts";

test.each([
	["report.pdf", "report.pdf"],
	["Übersicht 2026.xlsx", "Übersicht 2026.xlsx"],
	["日本語.txt", "日本語.txt"],
	["../../etc/passwd", "passwd"],
	["C:\\Users\\me\\notes.txt", "notes.txt"],
	["/absolute", "absolute"],
	["..", "file"],
	[".", "file"],
	["", "file"],
	["dir/", "file"],
	[".env", "env"],
	["...hidden", "hidden"],
	["trailing. .", "trailing"],
	["a\u0000b\nc\u001b[31m.txt", "abc[31m.txt"],
	["invoice\u202Efdp.exe", "invoicefdp.exe"],
	["zero\u200Bwidth.txt", "zerowidth.txt"],
	["lone\uD800half.txt", "lonehalf.txt"],
	["no\u00A0break\u3000space.txt", "no break space.txt"],
	['a<b>c:d"e|f?g*.txt', "abcdefg.txt"],
	["con", "_con"],
	["CON.txt", "_CON.txt"],
	["lpt1.tar.gz", "_lpt1.tar.gz"],
	["COM¹", "_COM¹"],
	["console.log", "console.log"],
	["e\u0301.txt", "é.txt"],
])("%j is stored as %j", (text, name) => {
	expect(safeFileName(text)).toBe(name);
	expect(safeFileName(name)).toBe(name);
});

test("a long name is cut between characters and keeps its extension", () => {
	const name = safeFileName(`${"ü".repeat(300)}.tar.gz`);
	expect(name).toMatch(/^ü+\.tar\.gz$/);
	expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
	expect(Buffer.byteLength(name)).toBeGreaterThan(197);
	expect(Buffer.byteLength(safeFileName(`a.${"b".repeat(500)}`))).toBe(200);
});

test("files with the same name get a number before the extension", () => {
	expect(nthName("report.pdf", 1)).toBe("report.pdf");
	expect(nthName("report.pdf", 2)).toBe("report-2.pdf");
	expect(nthName("a.tar.gz", 10)).toBe("a-10.tar.gz");
	expect(nthName("Makefile", 2)).toBe("Makefile-2");
});
