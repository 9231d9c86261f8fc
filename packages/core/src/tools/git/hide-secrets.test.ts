import { expect, test } from "vitest";
import { hideSecrets, hideUserinfo } from "./git.ts";

const LEFT = "[its content may contain keys or passwords and is left out]";

function hide(text: string): string {
	return hideSecrets(text.split("\n")).join("\n");
}

const patch = (header: string): string =>
	`${header}\nindex 1..2 100644\n--- a\n+++ b\n@@ -1 +1 @@\n-secret\n+secret\n \n\\ No newline`;

test.each([
	"diff --git a/.env b/.env",
	"diff --git .env .env",
	"diff --git i/.env w/.env",
	"diff --git a/x/.env.local b/x/.env.local",
	"diff --git a/open b/id_rsa",
	"diff --git a/id_rsa b/open",
	'diff --git "a/caf\\303\\251/.env" "b/caf\\303\\251/.env"',
	"diff --git a/my dir/key.pem b/my dir/key.pem",
	"diff --git a/.ssh/config b/.ssh/config",
	"diff --cc .env",
	"diff --combined a b/.netrc",
	"diff --git a/.ENV b/.ENV",
])("text after %j is hidden", (header) => {
	const shown = hide(`${patch(header)}\n${patch("diff --git a/x b/x")}`);
	expect(shown).toBe(`${header}\n${LEFT}\nindex 1..2 100644\n${patch("diff --git a/x b/x")}`);
});

test.each(["diff --git a/x b/x", "diff --git a/env.ts b/env.ts", "diff --git a/id_rsa.pub b/id_rsa.pub"])(
	"text after %j is shown",
	(header) => {
		expect(hide(patch(header))).toBe(patch(header));
	},
);

test("the next commit is shown, also without its own line", () => {
	const before = patch("diff --git a/.env b/.env");
	expect(hide(`${before}\n\ncommit 1\nAuthor: Ada\n\n    two\n`)).toMatch(
		/\ncommit 1\nAuthor: Ada\n\n {4}two\n$/,
	);
	expect(hide(`${before}\nabc1234 two\n${patch("diff --git a/x b/x")}`)).toMatch(
		/\nabc1234 two\ndiff --git a\/x/,
	);
	expect(hide("Rename\n\n    diff --git a/.env b/.env\n\n-x")).toContain("-x");
});

test.each([
	["https://ada:pw@example.org/x", "https://…@example.org/x"],
	["origin\thttps://token@example.org/x (fetch)", "origin\thttps://…@example.org/x (fetch)"],
	["ssh://git@example.org/x", "ssh://…@example.org/x"],
	["git@example.org:x", "git@example.org:x"],
	["https://example.org/a@b", "https://example.org/a@b"],
	["https://a:p@b@example.org/", "https://…@example.org/"],
])("%j is shown as %j", (line, hidden) => {
	expect(hideUserinfo(line)).toBe(hidden);
});
