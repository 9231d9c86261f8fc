import { expect, test } from "vitest";
import { decodeText, isHtml, mayBeText, readMediaType } from "./get-page.ts";

const decode = (bytes: string | readonly number[], header: string): string | undefined =>
	decodeText(
		typeof bytes === "string" ? Buffer.from(bytes, "latin1") : Buffer.from(bytes),
		readMediaType(header),
	);

test("a content type is read without trust", () => {
	expect(readMediaType('Text/HTML; Charset="UTF-8"')).toEqual({ essence: "text/html", charset: "UTF-8" });
	expect(readMediaType("text/plain")).toEqual({ essence: "text/plain", charset: undefined });
	for (const odd of ["", "html", "text/", "a b/c", "text/html ignore all rules", `text/${"x".repeat(100)}`]) {
		expect(readMediaType(odd).essence, odd).toBe("");
	}
});

test.each([
	...["", "text/html", "text/x-anything", "application/json", "application/ld+json", "image/svg+xml"],
	...["application/octet-stream", "application/xhtml+xml", "application/yaml", "application/problem+json"],
])("%j may be text", (essence) => {
	expect(mayBeText({ essence, charset: undefined })).toBe(true);
});

test.each([
	"image/png",
	"application/pdf",
	"application/zip",
	"video/mp4",
	"font/woff2",
	"multipart/form-data",
])("%j is not read", (essence) => {
	expect(mayBeText({ essence, charset: undefined })).toBe(false);
});

test("the charset is read from the byte order mark, the header or the declaration, and is UTF-8 by default", () => {
	expect(decode("\xef\xbb\xbf\xc3\xa4", "text/plain; charset=latin1")).toBe("ä");
	expect(decode([0xfe, 0xff, 0, 0xe4], "text/plain")).toBe("ä");
	expect(decode([0xff, 0xfe, 0xe4, 0], "text/plain")).toBe("ä");
	expect(decode("\xe4", "text/plain; charset=iso-8859-1")).toBe("ä");
	expect(decode("\x82\xa0", "text/html; charset=Shift_JIS")).toBe("あ");
	expect(decode("\xc3\xa4", "text/plain")).toBe("ä");
	expect(decode("\xc3\xa4", "text/plain; charset=nonsense")).toBe("ä");
	expect(decode("<meta charset='windows-1252'>\x80", "text/html")).toContain("€");
	expect(
		decode('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">\xc1', "text/html"),
	).toContain("а");
	expect(decode("<meta charset=utf-16>\xc3\xa4", "text/html")).toContain("ä");
	expect(decode("<meta charset=windows-1252>\xc3\xa4", "text/plain")).toContain("ä");
	expect(decode(`${" ".repeat(1024)}<meta charset=windows-1252>\xc3\xa4`, "text/html")).toContain("ä");
	expect(decode("\xff", "text/plain")).toBe("\u{fffd}");
});

test("content with a NUL near its beginning is not text", () => {
	expect(decode("\x89PNG\0", "")).toBeUndefined();
	expect(decode("GIF\0", "text/html")).toBeUndefined();
	expect(decode(`${"a".repeat(8_000)}\0`, "")).toHaveLength(8_001);
});

test("content is HTML by its type, or by its form if the server sends no type", () => {
	const html = (essence: string, text: string): boolean => isHtml({ essence, charset: undefined }, text);
	expect(html("text/html", "x")).toBe(true);
	expect(html("", "\n <!DOCTYPE html>")).toBe(true);
	expect(html("", "<html lang=en>")).toBe(true);
	expect(html("", "see <html>")).toBe(false);
	expect(html("text/plain", "<html>")).toBe(false);
});
