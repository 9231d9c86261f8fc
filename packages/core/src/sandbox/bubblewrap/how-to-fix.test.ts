import { expect, test } from "vitest";
import { installAdvice, permitAdvice } from "./find-bubblewrap.ts";

test.each([
	["ID=debian\n", "apt install bubblewrap"],
	['NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', "apt install bubblewrap"],
	['ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install bubblewrap"],
	["ID=arch", "pacman -S bubblewrap"],
	["ID=constructor\n", "install bubblewrap (bwrap)"],
	["", "install bubblewrap (bwrap)"],
])("a system with %j gets the instructions for installing bubblewrap", (release, words) => {
	expect(installAdvice(release, "linux")).toBe(words);
});

test("on systems other than Linux, the instructions suggest a container", () => {
	expect(installAdvice("", "darwin")).toContain("--sandbox container");
});

test.each([
	["apparmor_restrict_unprivileged_userns", "1\n", "AppArmor"],
	["unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone=1"],
	["max_user_namespaces", "0\n", "user.max_user_namespaces"],
	["nothing", "", "namespaces|container"],
])("if %s contains %j, the instructions name the change", (file, text, words) => {
	expect(permitAdvice((path) => (path.endsWith(file) ? text : ""))).toMatch(new RegExp(words));
});
