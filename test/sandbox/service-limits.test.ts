import { spawnSync } from "node:child_process";
import { hasBubblewrap } from "@parley/core/testing";
import { expect, test } from "vitest";

const bwrap = [
	"bwrap",
	"--unshare-all",
	"--ro-bind",
	"/",
	"/",
	"--proc",
	"/proc",
	"--dev",
	"/dev",
	"--tmpfs",
	"/tmp",
];

/** Script that makes `/usr` and `/etc` read-only, like `ProtectSystem=full`. */
const protectSystem =
	'for d in /usr /etc; do mount --bind $d $d && mount -o remount,bind,ro $d || exit 1; done; exec "$@"';

test.skipIf(!hasBubblewrap)("bubblewrap works without new privileges", () => {
	const { status, stdout, stderr } = spawnSync("setpriv", ["--no-new-privs", ...bwrap, "echo", "inside"], {
		encoding: "utf8",
	});
	expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "inside\n", stderr: "" });
});

test.skipIf(!hasBubblewrap || process.getuid?.() !== 0)(
	"bubblewrap works in a service of the system, as another user",
	() => {
		const account = [
			"--reuid=65534",
			"--regid=65534",
			"--clear-groups",
			"--no-new-privs",
			"--bounding-set=-all",
		];
		const args = [
			"--mount",
			"sh",
			"-c",
			protectSystem,
			"sh",
			"setpriv",
			...account,
			...bwrap,
			"echo",
			"inside",
		];
		const { status, stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8" });
		expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "inside\n", stderr: "" });
	},
);
