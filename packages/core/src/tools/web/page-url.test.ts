import { expect, test } from "vitest";
import { publicReach } from "../../sandbox/egress/reach.ts";
import { isSameSite, readPageUrl, readRedirect } from "./page-url.ts";

const codeOf = (work: () => unknown): unknown => {
	try {
		return work();
	} catch (reason) {
		return reason instanceof Error && "code" in reason ? reason.code : reason;
	}
};

test.each([
	"",
	" ",
	"example.com",
	"//example.com",
	"/etc/passwd",
	"http:",
	"http:/",
	"http://",
	"http:///",
	"http:example.com",
	"http:/example.com",
	"http:///example.com",
	"https:\\\\example.com",
	"http://exa\\mple.com",
	" https://example.com",
	"https://example.com ",
	"https://exam ple.com/",
	"https://example.com/a b",
	"https://exa\nmple.com/",
	"https://exa\tmple.com/",
	"https://example.com/\0",
	"https://example.com/\u202e",
	"https://exa\u200bmple.com/",
	"https://exa\u00admple.com/",
	"https://example.com/\ud800",
	"ftp://example.com/",
	"file:///etc/passwd",
	"javascript:alert(1)",
	"data:text/plain,x",
	"gopher://example.com/",
	"ws://example.com/",
	"view-source:https://example.com/",
	"https://user@example.com/",
	"https://user:pass@example.com/",
	"https://:pass@example.com/",
	"https://@example.com/",
	"https://example.com:pass@127.0.0.1/",
	"https://example.com@127.0.0.1/",
	"https://example.com:81/",
	"https://example.com:0/",
	"https://example.com:8080/",
	"http://example.com:22/",
	"https://example.com:99999/",
	"https://example.com:-1/",
	"https://exam%ple.com/",
	"https://exa<mple.com/",
	"https://./",
	"https://../",
	"https://.example.com/",
	"https://example..com/",
	"https://example.com../",
	"https://[::1",
	"https://::1/",
	"https://[fe80::1%25eth0]/",
	"https://[fe80::1%eth0]/",
	"https://[1.2.3.4]/",
	"https://1.2.3.4.5/",
	"https://256.1.1.1/",
	"https://0x100000000/",
	`https://example.com/${"a".repeat(2_000)}`,
])("%j is not a URL of a page", (text) => {
	expect(codeOf(() => readPageUrl(text, publicReach).href)).toBe("invalid_argument");
});

test.each([
	"http://127.0.0.1/",
	"http://127.1/",
	"http://2130706433/",
	"http://0x7f000001/",
	"http://0x7f.1/",
	"http://0177.0.0.1/",
	"http://017700000001/",
	"http://127.0.0.1./",
	"http://%31%32%37.0.0.1/",
	"http://127%2e0%2e0%2e1/",
	"http://127。0。0。1/",
	"http://１２７.0.0.1/",
	"http://⑫⑦.0.0.1/",
	"http://0/",
	"http://0.0.0.0/",
	"http://169.254.169.254/latest/meta-data/",
	"http://2852039166/",
	"http://[::1]/",
	"http://[::]/",
	"http://[::ffff:127.0.0.1]/",
	"http://[::ffff:7f00:1]/",
	"http://[0:0:0:0:0:ffff:7f00:1]/",
	"http://[::127.0.0.1]/",
	"http://[64:ff9b::169.254.169.254]/",
	"http://[2002:7f00:1::]/",
	"http://[fd00:ec2::254]/",
	"http://10.0.0.1:443/",
	"https://192.168.0.1:80/",
	"HTTP://127.0.0.1/",
])("%s is refused because of its address, in any spelling", (text) => {
	expect(codeOf(() => readPageUrl(text, publicReach))).toBe("permission_denied");
});

test("the accepted URL has the form that is sent", () => {
	const read = (text: string): string => readPageUrl(text, publicReach).href;
	expect(read("HTTPS://Example.COM")).toBe("https://example.com/");
	expect(read("https://example.com./a?b#c")).toBe("https://example.com/a?b");
	expect(read("https://example.com:443/")).toBe("https://example.com/");
	expect(read("https://example.com:/x:y@z:8")).toBe("https://example.com/x:y@z:8");
	expect(read("http://example.com:443/a")).toBe("http://example.com:443/a");
	expect(read("https://пример.рф/ö?q=ü")).toBe("https://xn--e1afmkfd.xn--p1ai/%C3%B6?q=%C3%BC");
	expect(read("https://example.com/a/../b/@x")).toBe("https://example.com/b/@x");
	expect(read("http://8.8.8.8/")).toBe("http://8.8.8.8/");
	expect(read("https://[2606:4700:4700::1111]/")).toBe("https://[2606:4700:4700::1111]/");
});

test("a refusal names the URL in a readable form", () => {
	expect(() => readPageUrl("https://exa\u200bmple.com/", publicReach)).toThrow(
		'the URL "https://exa\\u{200b}mple.com/" contains spaces, invisible characters or backslashes: remove or percent-encode them',
	);
	expect(() => readPageUrl("https://example.com:81/", publicReach)).toThrow(
		"has the port 81; only 80 and 443 are allowed",
	);
	expect(() => readPageUrl(`https://example.com/${"a".repeat(3_000)}`, publicReach)).toThrow(
		/a{100}…" has 3020 characters, more than the maximum of 2000: use a shorter URL$/,
	);
});

test("a redirect is checked like any URL, and never leaves https", () => {
	const from = new URL("https://example.com/a/b?c");
	const read = (location: string, url = from): unknown =>
		codeOf(() => readRedirect(url, location, publicReach).href);
	expect(read("../d")).toBe("https://example.com/d");
	expect(read("?e")).toBe("https://example.com/a/b?e");
	expect(read("//example.org/")).toBe("https://example.org/");
	expect(read("https://example.com:80/")).toBe("https://example.com:80/");
	expect(read("http://example.com/a/b?c")).toBe("invalid_argument");
	expect(read("http://example.org/", new URL("http://example.com"))).toBe("http://example.org/");
	expect(read("http://127.1/", new URL("http://example.com"))).toBe("permission_denied");
	expect(read("//[::ffff:10.0.0.1]/")).toBe("permission_denied");
	expect(read("file:///etc/passwd")).toBe("invalid_argument");
	expect(read("javascript:alert(1)")).toBe("invalid_argument");
	expect(read("https://user:pass@example.com/")).toBe("invalid_argument");
	expect(read("//example.com:22/")).toBe("invalid_argument");
	expect(read("https://")).toBe("invalid_argument");
	expect(read(`/${"a".repeat(2_000)}`)).toBe("invalid_argument");
});

test("a site is a name with or without www", () => {
	const same = (one: string, other: string): boolean => isSameSite(new URL(one), new URL(other));
	expect(same("http://example.com/", "https://www.example.com/x")).toBe(true);
	expect(same("https://www.example.com/", "https://example.com/x")).toBe(true);
	expect(same("https://example.com/", "https://docs.example.com/")).toBe(false);
	expect(same("https://example.com/", "https://example.com.evil.test/")).toBe(false);
});
