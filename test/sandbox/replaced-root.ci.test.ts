import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { expect, test } from "vitest";
import { callsOf, openNestedRoots } from "./replaced-root.ts";

/** Program that swaps a directory and a link. The directory stays in place longer than the link. */
const swapper = `
import ctypes, random, sys, time
libc = ctypes.CDLL(None)
open("swapping", "w").close()
while True:
    for longest in (0.2, float(sys.argv[1])):
        if libc.renameat2(-100, b"project", -100, b"link", 2) != 0:
            sys.exit("not exchanged")
        time.sleep(random.random() * longest)
`;

const raceMs = 12_000;

test.runIf(hasBubblewrap)(
	"a sandboxed command that replaces the root of another session by a link does not redirect its commands",
	{ timeout: paced(120_000) },
	async () => {
		await using roots = await openNestedRoots();
		const { first, second, wide, outside } = roots;
		await writeFile(join(wide, "swap.py"), swapper);
		await symlink(outside, join(wide, "link"));
		await first.call("send_message", { content: `run: python3 swap.py ${paced(600) / 1000}` });
		await expect.poll(() => readdir(wide), { timeout: paced(20_000) }).toContain("swapping");

		const results = { completed: 0, failed: 0 };
		const end = systemClock.monotonic() + raceMs;
		for (let n = 0; systemClock.monotonic() < end; n++) {
			const [call] = await callsOf(second, `run: cat secret; echo x >made-${n} && echo written`);
			const text = JSON.stringify(call);
			expect(text).not.toContain("secret of the operator");
			results[text.includes("written\\n") ? "completed" : "failed"] += 1;
		}
		// Without the cancel, the gateway would wait for the active run before it stops.
		await first.call("cancel_turn");
		process.stdout.write(`${results.completed} commands ran in their root, ${results.failed} were refused\n`);
		expect(await readdir(outside)).toEqual(["secret"]);
		expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret of the operator");
		expect(results.completed).toBeGreaterThan(0);
		expect(results.failed).toBeGreaterThan(0);
	},
);
