import { expect, test } from "vitest";
import { distributionOf } from "./distribution.ts";

const linux = { platform: "linux", kernel: "Linux version 6.1.0" };

test.each([
	[{ ...linux, release: 'NAME="Debian"\nID=debian\n' }, "debian"],
	[{ ...linux, release: 'ID=linuxmint\nID_LIKE="ubuntu debian"\n' }, "debian"],
	[{ ...linux, release: 'ID="rocky"\nID_LIKE="rhel centos fedora"\n' }, "fedora"],
	[{ ...linux, release: "ID=manjaro\nID_LIKE=arch\n" }, "arch"],
	[{ ...linux, release: 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n' }, "suse"],
	[{ ...linux, release: "ID=alpine" }, "alpine"],
	[{ ...linux, release: "" }, "linux"],
	[{ ...linux, release: "ID=ubuntu", kernel: "Linux version 5.15 (microsoft@microsoft.com)" }, "wsl"],
	[{ platform: "darwin", release: "", kernel: "" }, "macos"],
	[{ platform: "freebsd", release: "ID=freebsd", kernel: "" }, "other"],
])("%j is %s", (signs, name) => {
	expect(distributionOf(signs)).toBe(name);
});
